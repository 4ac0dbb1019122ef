import { expect, test, vi } from 'vitest'
import type { TraceNode } from '../../../../src-preload/contract/chain/transaction.ts'
import { formatTree } from '../../../../src-renderer/components/trace/tree-text.ts'

// The address form is read from the storage while modules load.
vi.hoisted(() => vi.stubGlobal('window', { localStorage: { getItem: () => null } }))

const account = (address: string) => ({
  address,
  name: null,
  label: null,
  isScam: false,
  isWallet: true,
})
const node: TraceNode = {
  hash: null,
  parent: null,
  depth: 0,
  lt: '1',
  at: 0,
  success: true,
  bounced: false,
  account: account('a'),
  source: null,
  value: '0',
  jetton: null,
  opcode: null,
  operation: null,
  comment: null,
  exitCode: 0,
  failure: null,
  fees: '3000000',
  interfaces: [],
}
const transfer = { parent: 0, depth: 1, source: account('a'), account: account('b') }

const lines = (...nodes: TraceNode[]) =>
  formatTree(nodes, ({ address }) => address.toUpperCase(), 1).split('\n')

test('the text of a trace shows each message below its cause, with value, fees and comment', () => {
  expect(
    lines(
      node,
      { ...node, ...transfer, value: '12500000000', operation: 'text_comment', comment: 'order-7' },
      {
        ...node,
        ...transfer,
        parent: 1,
        depth: 2,
        opcode: '0x0000beef',
        value: '1',
        success: false,
      },
    ),
  ).toEqual([
    'external message to A; fees 0.003000000 TON',
    '  transfer to B; 12.500000000 TON; fees 0.003000000 TON; comment “order-7”; this transaction',
    '    0x0000beef to B; 0.000000001 TON; fees 0.003000000 TON; failed',
  ])
})

test('a comment can neither forge a line of the text nor hide or reorder text', () => {
  const comment = 'paid\n  transfer to B; 100 TON\u202e'
  const text = lines({ ...node, comment, operation: 'text_comment' })
  expect(text).toHaveLength(1)
  expect(text[0]).toContain('comment “paid transfer to B; 100 TON[U+202E]”')
})

test('a failure in the text of a trace has its exit code and reason', () => {
  const failed = { ...node, success: false, exitCode: 35, failure: 'out of actions', bounced: true }
  expect(lines(failed)[0]).toMatch(/; bounced; failed with exit code 35: out of actions$/)
})
