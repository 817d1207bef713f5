// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const rootLong = `tdt compares the tool calls that AI agents report with a declared policy.

A match says that the recorded call fits the policy. It does not say that the
call was safe, authorized, or that it ran.

Files are named as arguments; "-" reads standard input. Exit status: 0 all is
fine, 3 there are findings, 1 tdt could not answer, 2 it was called wrongly.`

// newRoot returns the command tree. Every verb writes to s and nowhere else.
func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "tdt",
		Short:         "Tool-decision truth: judge recorded tool calls against a declared policy",
		Long:          rootLong,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noVerb,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w (see %s --help)", err, cmd.CommandPath())
	})
	root.AddCommand(verbs(s)...)
	refuseUnknownTopics(root)
	for _, c := range commands(root) {
		c.Args = asUsage(c.Args)
	}
	return root
}

// refuseUnknownTopics makes help and completion, which are the library's, refuse
// what they do not know, as the verbs do.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				_, rest, _ := root.Find(args)
				return noVerb(root, rest)
			}
		case "completion":
			c.Args = noShell
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// verbs lists the verbs in the order of a user's work.
func verbs(s streams) []*cobra.Command {
	return []*cobra.Command{
		newJudge(s),
		newRecognize(s),
		newCarriers(s),
		newPolicy(s),
		newVerify(s),
		newRuns(s),
		newEvidence(s),
		newImport(s),
		newExport(s),
		newProject(s),
		newArgsDigest(s),
	}
}

// commands returns root and all below it.
func commands(root *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{root}
	for _, c := range root.Commands() {
		all = append(all, commands(c)...)
	}
	return all
}

func noVerb(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("there is no verb %q", args[0])
}

func noShell(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("there is no completion for %q", args[0])
}

// asUsage turns a fault of the arguments into one of usage.
func asUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usagef("%w (see %s --help)", err, cmd.CommandPath())
		}
		return nil
	}
}

// formatFlag adds --format to c. The value is checked when it is set.
func formatFlag(c *cobra.Command, known ...string) *format {
	f := &format{value: known[0], known: known}
	c.Flags().Var(f, "format", "how to print: "+strings.Join(known, " or "))
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
	return f
}

// A format is a choice between a few words, the first of which is the default.
type format struct {
	value string
	known []string
}

func (f *format) String() string { return f.value }

// Type names the value in help.
func (f *format) Type() string { return "FORMAT" }

// Set refuses what is not known.
func (f *format) Set(s string) error {
	if !slices.Contains(f.known, s) {
		return fmt.Errorf("want %s", strings.Join(f.known, " or "))
	}
	f.value = s
	return nil
}
