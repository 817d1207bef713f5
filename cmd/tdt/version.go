// SPDX-License-Identifier: Apache-2.0

package main

import "runtime/debug"

// buildVersion returns the version and the revision that this program was
// built from, as far as the build says.
func buildVersion() (version, revision string) {
	version, revision = "devel", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, revision
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		version = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	return version, revision
}

// versionText is what --version says.
func versionText() string {
	version, revision := buildVersion()
	return version + " (" + revision + ")"
}
