// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"strconv"

	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// The entries of a bundle, in their order (spec section 12).
const (
	entryManifest = "manifest.json"
	entryEvents   = "events.ndjson"
)

// The algorithms that a manifest names. There are no others.
const (
	manifestCanon = "jcs-rfc8785"
	manifestHash  = "sha256"
	manifestRoot  = `sha256(concat(content_hash + "\n"))`
)

const manifestVersion = 1

// A Manifest says what a bundle's events are (spec section 12). It is a claim
// of the writer: ReadBundle compares it with the events.
type Manifest struct {
	Producer, ProducerVersion string

	RunID      string
	EventCount int64

	// RunRoot is the digest of all content hashes, each with a newline behind
	// it. It is also the bundle's id.
	RunRoot canon.Digest

	EventsDigest canon.Digest // of the entry events.ndjson
	EventsBytes  int64
}

// AppendJSON appends the manifest as canonical JSON text.
func (m *Manifest) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"algorithms":{"canon":"`+manifestCanon+`","hash":"`+manifestHash+`"`...)
	dst = appendMember(dst, `,"root":`, manifestRoot)
	dst = appendWord(dst, `},"bundle_id":"`, string(m.RunRoot))
	dst = strconv.AppendInt(append(dst, `,"event_count":`...), m.EventCount, 10)
	dst = strconv.AppendInt(append(dst, `,"files":{"`+entryEvents+`":{"bytes":`...), m.EventsBytes, 10)
	dst = appendWord(dst, `,"path":"`+entryEvents+`","sha256":"`, string(m.EventsDigest))
	dst = appendMember(dst, `}},"producer":{"name":`, m.Producer)
	dst = appendMember(dst, `,"version":`, m.ProducerVersion)
	dst = appendMember(dst, `},"run_id":`, m.RunID)
	dst = appendWord(dst, `,"run_root":"`, string(m.RunRoot))
	return append(dst, `,"schema_version":1}`...)
}

// The members of a manifest and of its objects, in canonical order.
var (
	manifestFields  = [...]string{"algorithms", "bundle_id", "event_count", "files", "producer", "run_id", "run_root", "schema_version"}
	algorithmFields = [...]string{"canon", "hash", "root"}
	producerFields  = [...]string{"name", "version"}
	filesFields     = [...]string{entryEvents}
	fileFields      = [...]string{"bytes", "path", "sha256"}
)

// Places in the lists above.
const (
	manifestAlgorithms = iota
	manifestBundleID
	manifestEventCount
	manifestFiles
	manifestProducer
	manifestRunID
	manifestRunRoot
	manifestSchemaVersion
)

const (
	algorithmCanon = iota
	algorithmHash
	algorithmRoot
)

const (
	producerName = iota
	producerVersion
)

const (
	fileBytes = iota
	filePath
	fileSHA256
)

// ParseManifest reads a manifest and checks what it says by itself, each member
// in the order of spec section 12. Members of other names pass, but for files:
// a bundle has no others.
func ParseManifest(text string) (Manifest, error) {
	var doc canon.Doc
	if err := doc.Parse(text, canon.Limits{}); err != nil {
		return Manifest{}, refuseText(err)
	}
	if k := doc.Root().Kind(); k != canon.KindObject {
		return Manifest{}, &FaultError{Fault: FaultNotObject, Got: k.String(), Want: "object"}
	}
	r := readObject(doc.Root(), "", manifestFields[:])
	var m Manifest
	r.check(func() *FaultError { return checkVersion(r.members[manifestSchemaVersion]) })
	bundleID := r.digest(manifestBundleID)
	r.object(manifestProducer)
	r.check(func() *FaultError { return m.readProducer(r.members[manifestProducer]) })
	m.RunID = r.text(manifestRunID)
	m.EventCount = r.count(manifestEventCount)
	m.RunRoot = r.digest(manifestRunRoot)
	r.object(manifestAlgorithms)
	r.check(func() *FaultError { return checkAlgorithms(r.members[manifestAlgorithms]) })
	r.object(manifestFiles)
	r.check(func() *FaultError { return m.readFiles(r.members[manifestFiles]) })
	r.check(func() *FaultError {
		if bundleID == m.RunRoot {
			return nil
		}
		return &FaultError{Fault: FaultRootDiffers, Field: "bundle_id", Got: string(bundleID), Want: string(m.RunRoot)}
	})
	if r.fault != nil {
		return Manifest{}, r.fault
	}
	return m, nil
}

// readObject returns a reader of the members of n.
func readObject(n canon.Node, prefix string, names []string) *memberReader {
	r := &memberReader{prefix: prefix, names: names, members: make([]canon.Node, len(names))}
	readMembers(n, names, r.members)
	return r
}

func checkVersion(n canon.Node) *FaultError {
	v, fault := integer(n, "schema_version")
	if fault == nil && v != manifestVersion {
		fault = &FaultError{Fault: FaultUnexpectedValue, Field: "schema_version", Got: strconv.FormatInt(v, 10), Want: "1"}
	}
	return fault
}

func (m *Manifest) readProducer(n canon.Node) *FaultError {
	r := readObject(n, "producer.", producerFields[:])
	m.Producer = r.text(producerName)
	m.ProducerVersion = r.text(producerVersion)
	return r.fault
}

func checkAlgorithms(n canon.Node) *FaultError {
	r := readObject(n, "algorithms.", algorithmFields[:])
	r.constant(algorithmCanon, manifestCanon)
	r.constant(algorithmHash, manifestHash)
	r.constant(algorithmRoot, manifestRoot)
	return r.fault
}

func (m *Manifest) readFiles(n canon.Node) *FaultError {
	files := readObject(n, "files.", filesFields[:])
	file := files.object(0)
	if files.fault == nil && n.Len() > 1 {
		files.fault = refuse(FaultUnexpectedEntry, "files")
	}
	if files.fault != nil {
		return files.fault
	}
	r := readObject(file, "files."+entryEvents+".", fileFields[:])
	r.constant(filePath, entryEvents)
	m.EventsDigest = r.digest(fileSHA256)
	m.EventsBytes = r.count(fileBytes)
	return r.fault
}
