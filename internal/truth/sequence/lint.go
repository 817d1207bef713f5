package sequence
import "github.com/tool-decision-truth/collector/internal/truth/policy"
func Lint(r *Rules, p *policy.Policy) []int { return nil }
