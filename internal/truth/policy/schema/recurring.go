// SPDX-License-Identifier: Apache-2.0

package schema

// markRecurring marks the nodes that can come upon themselves for one value:
// those on a cycle of what is applied in place. It is Tarjan's algorithm for
// strongly connected components.
func markRecurring(nodes map[string]*node) {
	m := marker{index: map[*node]int{}, low: map[*node]int{}, onStack: map[*node]bool{}}
	for _, n := range nodes {
		if _, visited := m.index[n]; !visited {
			m.visit(n)
		}
	}
}

type marker struct {
	index, low map[*node]int
	onStack    map[*node]bool
	stack      []*node
}

func (m *marker) visit(n *node) {
	m.index[n] = len(m.index)
	m.low[n] = m.index[n]
	m.stack = append(m.stack, n)
	m.onStack[n] = true
	for _, sub := range n.inPlace {
		if _, visited := m.index[sub]; !visited {
			m.visit(sub)
			m.low[n] = min(m.low[n], m.low[sub])
		} else if m.onStack[sub] {
			m.low[n] = min(m.low[n], m.index[sub])
		}
		n.recurring = n.recurring || sub == n
	}
	if m.low[n] == m.index[n] {
		m.component(n)
	}
}

// component takes the component that began with n off the stack.
func (m *marker) component(n *node) {
	alone := m.stack[len(m.stack)-1] == n
	for {
		last := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		m.onStack[last] = false
		last.recurring = last.recurring || !alone
		if last == n {
			return
		}
	}
}
