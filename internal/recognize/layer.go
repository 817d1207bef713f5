// SPDX-License-Identifier: Apache-2.0

package recognize

// A Layer says from where a span describes a call. One logical call is often
// seen from several: the agent asks, an MCP client sends, an MCP server
// answers, a handler runs. The zero Layer is none of them.
type Layer uint8

// The layers, from the outside in. Append only: the strings are shown to users.
const (
	LayerAgent     Layer = iota + 1 // the agent or framework that decided to call
	LayerMCPClient                  // the client that sends the call to an MCP server
	LayerMCPServer                  // the MCP server, or a gateway in front of one
	LayerHandler                    // what runs inside: a handler, a delegate, an executor
)

var layerNames = [...]string{"", "agent", "mcp_client", "mcp_server", "handler"}

// String returns the layer's name, or "" for a value that is no layer.
func (l Layer) String() string {
	if int(l) >= len(layerNames) {
		return ""
	}
	return layerNames[l]
}
