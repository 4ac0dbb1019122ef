import type { TraceNode } from '../../../../src-preload/contract/chain.ts'

/** What the message that caused a transaction asked for, in a word. */
export function operationOf(
  node: Pick<TraceNode, 'operation' | 'opcode' | 'source' | 'bounced' | 'comment'>,
): string {
  if (node.operation === 'text_comment') return 'transfer'
  if (node.operation !== null) return node.operation
  if (node.opcode !== null && node.opcode !== '0x00000000') return node.opcode
  if (node.source === null) return 'external message'
  return 'transfer'
}
