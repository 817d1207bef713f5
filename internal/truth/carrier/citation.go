// SPDX-License-Identifier: Apache-2.0

package carrier

import (
	"github.com/tool-decision-truth/collector/internal/truth"
	"github.com/tool-decision-truth/collector/internal/truth/canon"
)

// A Citation is what of a carrier a row binds itself to.
type Citation struct {
	Content  canon.Digest // of the whole carrier
	Identity canon.Digest // of its decision identity

	// Verdict is the one the row's run verdict must cover. An unclassified
	// carrier has none, and any run verdict covers it.
	Verdict      truth.Verdict
	Unclassified bool
}

// Citation returns what a row cites of r.
func (r *Record) Citation() Citation {
	return Citation{
		Content: r.ContentDigest(), Identity: r.IdentityDigest(),
		Verdict: r.in.Verdict, Unclassified: r.in.Unclassified,
	}
}

// Cite reads from the JSON text of a carrier what a row binds itself to, and
// checks that alone: the verdict and the form of the two digests. Whoever means
// to rely on the carrier imports it instead.
func Cite(text string) (Citation, error) {
	var doc canon.Doc
	if err := doc.Parse(text, canon.Limits{Bytes: MaxTextBytes}); err != nil {
		return Citation{}, refuseText(err)
	}
	n := doc.Root()
	if n.Kind() != canon.KindObject {
		return Citation{}, &FaultError{Fault: FaultNotObject, Got: n.Kind().String(), Want: "object"}
	}
	var members [len(recordFields)]canon.Node
	readMembers(n, recordFields[:], members[:])
	r := memberReader{names: recordFields[:], members: members[:]}
	observed, declared := r.digest(recordObserved), r.digest(recordDeclared)
	var c Citation
	c.Verdict, c.Unclassified = r.verdict(recordVerdict)
	if r.fault != nil {
		return Citation{}, r.fault
	}
	c.Content, c.Identity = canon.Sum(n.AppendJCS(nil)), IdentityDigest(observed, declared)
	return c, nil
}

// covers reports whether the run verdict may stand in a row that cites c.
func (c Citation) covers(run truth.Verdict) bool {
	return c.Unclassified || c.Verdict <= run
}
