/**
 * Formats a message tree as plain text: one line per transaction, indented below the message that
 * caused it.
 */
import type { TraceNode } from '../../../src-preload/contract/chain/transaction.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import { formatAsset, formatUnits } from '../amount.ts'
import { visibleRuns } from '../body/visible-text.ts'
import { symbolOf } from '../chain/chain-text.tsx'

/**
 * @param nameOf names an account as the page does
 * @param here index of the transaction on the page; -1 for none
 */
export function formatTree(
  nodes: readonly TraceNode[],
  nameOf: (account: TraceNode['account']) => string,
  here: number,
): string {
  return nodes
    .map((node, index) => {
      const parts = [
        `${operationOf(node)} to ${nameOf(node.account)}`,
        node.jetton !== null &&
          `${formatAsset(node.jetton.units, node.jetton.asset)} ${symbolOf(node.jetton.asset)}`,
        node.source !== null && `${formatUnits(node.value, 9)} ${coinName()}`,
        `fees ${formatUnits(node.fees, 9)} ${coinName()}`,
        node.bounced && 'bounced',
        !node.success && describeFailure(node),
        node.comment !== null && `comment “${node.comment}”`,
        index === here && 'this transaction',
      ]
      const line = parts.filter((part) => part !== false).join('; ')
      // A comment with a line break must not look like another message.
      return `${'  '.repeat(node.depth)}${escapeControls(line.replaceAll(/\s+/g, ' '))}`
    })
    .join('\n')
}

function describeFailure({ exitCode, failure }: Pick<TraceNode, 'exitCode' | 'failure'>): string {
  const what = exitCode === null || exitCode === 0 ? 'failed' : `failed with exit code ${exitCode}`
  return failure === null ? what : `${what}: ${failure}`
}

/** Makes control characters visible, because a stranger may have put them into a name. */
export const escapeControls = (text: string): string =>
  visibleRuns(text)
    .map((run) => run.text)
    .join('')

/** Adds the standard or contract of the catalogue to the operation that it defines. */
export const withSource = (operation: string, source: string | undefined): string =>
  source === undefined ? operation : `${operation} (${source})`

/** Returns the operation that a message requested. */
export function operationOf(
  node: Pick<
    TraceNode,
    'operation' | 'operationSource' | 'opcode' | 'source' | 'bounced' | 'comment'
  >,
): string {
  if (node.operation === 'text_comment') return 'transfer'
  if (node.operation !== null) return withSource(node.operation, node.operationSource)
  if (node.opcode !== null && node.opcode !== '0x00000000') return node.opcode
  if (node.source === null) return 'external message'
  return 'transfer'
}
