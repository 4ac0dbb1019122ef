/** Tests cases of real chain data that were once displayed wrongly, with cells of this test. */
import { beginCell, comment } from '@ton/core'
import { describe, expect, test } from 'vitest'
import { createNamer } from '../../../src-main/chain/addresses.ts'
import { checkTransaction } from '../../../src-main/chain/check-transaction.ts'
import { historyRow, readTransaction } from '../../../src-main/chain/history-row.ts'
import { type AssetOf, readTrace } from '../../../src-main/chain/read-trace.ts'
import { formatNamed } from '../../fixtures/sentences.ts'
import { showTrace } from '../../../src-main/explorer/transactions/trace-view.ts'
import { showTransaction } from '../../../src-main/explorer/transactions/transaction-view.ts'
import {
  type TransactionResponse,
  jettonPreview,
  transactionResponse,
} from '../../../src-main/gateway/query-responses.ts'
import { formatCell } from '../../../src-main/ton/boc.ts'
import { toAddress } from '../../../src-main/ton/address.ts'
import { accountOf, rawTransaction, requiredFields } from '../../fixtures/raw-transaction.ts'

const payer = accountOf('a1')
const contract = accountOf('b2')
const other = accountOf('c3')
const named = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`
const [payerName, contractName] = [named(payer), named(contract)]
const noLabels = () => new Map<string, string>()
const unknown: AssetOf = () => undefined

/** Returns the checked and displayed transaction, with the transactions that it caused. */
function shown(root: object, children: readonly object[] = [], assetOf: AssetOf = unknown) {
  const nodes = [root, ...children].map((value, index) => ({
    transaction: checkTransaction(transactionResponse.parse(value)).transaction,
    interfaces: [],
    emulated: false,
    parent: index === 0 ? null : 0,
    depth: index === 0 ? 0 : 1,
  }))
  const { trace, name } = showTrace(readTrace(nodes), { assetOf, labelsOf: noLabels })
  return {
    ...trace,
    text: formatNamed(trace.sentence),
    views: nodes.map((node) => showTransaction(node.transaction, name, assetOf)),
  }
}

function rowOf(transaction: TransactionResponse) {
  const name = createNamer([], [], noLabels)
  return historyRow(readTransaction(transaction), { name, assetOf: unknown })
}

const bare = (text: string) => Buffer.concat([Buffer.alloc(4), Buffer.from(text)]).toString('hex')
type Answer = ReturnType<typeof rawTransaction>
const withInMessage = (answer: Answer, change: object): Answer & { in_msg: object } => ({
  ...answer,
  in_msg: { ...(answer.in_msg as object), ...change } as never,
})

describe('the forms of raw_body', () => {
  const facts = { from: payer, to: contract, value: 2_664_600_000n }
  const commented = rawTransaction({
    account: contract,
    lt: 100n,
    in: { ...facts, body: comment('Telegram Premium') },
  })

  test.each([
    ['a BOC', commented],
    [
      'bare bytes, as the open edition sends them',
      withInMessage(commented, { raw_body: bare('Telegram Premium') }),
    ],
    ['null beside raw data', withInMessage(commented, { raw_body: null })],
    [
      'bare bytes without raw data',
      { ...withInMessage(commented, { raw_body: bare('Telegram Premium') }), raw: null },
    ],
  ])('a comment to a contract is shown as a comment when raw_body is %s', (_, answer) => {
    const { text, views } = shown(answer)
    expect(text).toBe(
      `${payerName} sent 2.6646 TON to ${contractName} with the comment “Telegram Premium”.`,
    )
    expect(views[0]?.inMessage).toMatchObject({
      operation: 'text_comment',
      comment: 'Telegram Premium',
      rawBody: formatCell(comment('Telegram Premium')),
    })
  })

  test('an unreadable comment is not shown as a call with opcode 0', () => {
    const answer = withInMessage({ ...commented, raw: '' }, { raw_body: null })
    expect(shown(answer).text).toBe(`${payerName} sent 2.6646 TON to ${contractName}.`)
  })
})

describe('the cause of a failure is the same in the sentence, the tree and the history', () => {
  const call = {
    from: payer,
    to: contract,
    value: 100_000n,
    body: beginCell().storeUint(1, 32).endCell(),
  }

  test.each([9, 34_038])(
    'a contract that commits and then ends with exit code %s is shown as failed with this code',
    (exitCode) => {
      const compute = { success: true, exitCode }
      const answer = rawTransaction({
        account: contract,
        lt: 100n,
        in: call,
        compute,
        success: false,
      })
      const { text, nodes, views } = shown(answer)
      expect(text).toContain(`but it failed (exit code ${exitCode}`)
      expect(nodes[0]?.failure).toContain(`exit code ${exitCode}`)
      expect(views[0]?.success).toBe(false)
      expect(rowOf(transactionResponse.parse(answer))).toMatchObject({ success: false })
    },
  )

  test("the gateway's description of an exit code is shown in the sentence, the tree and the history", () => {
    const compute = { success: false, exitCode: 709 }
    const plain = rawTransaction({ account: contract, lt: 100n, in: call, compute, success: false })
    const described = { ...plain.compute_phase, exit_code_description: 'Wrong\u202e sender' }
    const answer = { ...plain, compute_phase: described }
    const words = 'exit code 709: wrong sender'
    const { text, nodes, views } = shown(answer)
    expect(text).toContain(words)
    expect(nodes[0]?.failure).toBe(words)
    expect(views[0]).toMatchObject({
      failure: words,
      phases: { compute: { exitWords: 'wrong sender' } },
    })
    expect(rowOf(transactionResponse.parse(answer)).failure).toBe(words)
  })

  const outOfGas = { success: false, exitCode: -14 }
  test('a plain transfer that stays although its gas ran out is shown as successful', () => {
    const plain = { from: payer, to: contract, value: 100_000n }
    const answer = rawTransaction({
      account: contract,
      lt: 100n,
      in: plain,
      compute: outOfGas,
      success: false,
    })
    const { text, nodes, views } = shown(answer)
    expect(text).toBe(`${payerName} sent 0.0001 TON to ${contractName}.`)
    expect(nodes[0]).toMatchObject({ success: true, failure: null })
    expect(views[0]).toMatchObject({ success: true })
    expect(rowOf(transactionResponse.parse(answer))).toMatchObject({ success: true, failure: null })
  })

  test('a call that ran out of gas and a transfer that bounced are shown as failed', () => {
    const answer = rawTransaction({
      account: contract,
      lt: 100n,
      in: call,
      compute: outOfGas,
      success: false,
    })
    expect(shown(answer).text).toContain('exit code -14: out of gas')
    const plain = { from: payer, to: contract, value: 100_000n, bounce: true }
    const bounced = {
      ...rawTransaction({
        account: contract,
        lt: 100n,
        in: plain,
        compute: outOfGas,
        success: false,
      }),
      bounce_phase: 'TrPhaseBounceOk',
    }
    expect(shown(bounced).text).toContain('but it was returned (exit code -14')
  })

  test('the tree shows a failure only where the sentence does', () => {
    const skipped = { skipped: true, skip_reason: 'cskip_no_gas' }
    const answer = {
      ...rawTransaction({ account: contract, lt: 100n, in: { from: payer, to: contract } }),
      raw: '',
      success: false,
      compute_phase: skipped,
    }
    const { text, nodes } = shown(answer)
    expect(text).not.toContain('failed')
    expect(nodes[0]?.success).toBe(true)
  })
})

test('an IHR fee reaches the receiver, in the sentence, the tree, the history and the value flow', () => {
  const message = { from: payer, to: contract, value: 0n, ihrFee: 3_000_000n }
  const received = rawTransaction({ account: contract, lt: 102n, in: message })
  const { text, nodes, flow } = shown(received)
  expect(text).toBe(`${payerName} sent 0.003 TON to ${contractName}.`)
  expect(nodes[0]?.value).toBe('3000000')
  expect(flow[0]?.ton).toBe('3000000')
  expect(rowOf(transactionResponse.parse(received)).change?.units).toBe('3000000')
  const sent = rawTransaction({ account: payer, lt: 100n, out: [message] })
  expect(rowOf(transactionResponse.parse(sent)).change?.units).toBe('-3000000')
})

test('without raw data the field ihr_fee does not count as value', () => {
  const plain = rawTransaction({
    account: contract,
    lt: 102n,
    in: { from: payer, to: contract, value: 5n },
  })
  const flagged = withInMessage({ ...plain, raw: '' }, { ihr_fee: 3 })
  expect(shown(flagged).nodes[0]?.value).toBe('5')
})

describe('sentences with many messages', () => {
  /** Returns a wallet's order with this many equal calls, of which the last ones failed. */
  function minting(count: number, failed: number, to = () => contract) {
    const messages = Array.from({ length: count }, () => ({
      from: payer,
      to: to(),
      value: 50_000_000n,
      body: beginCell().storeUint(1, 32).endCell(),
    }))
    const root = {
      ...rawTransaction({ account: payer, lt: 100n, out: messages }),
      in_msg: {
        ...requiredFields.message,
        msg_type: 'ext_in_msg',
        hash: '0'.repeat(64),
        destination: { address: payer },
      },
      raw: '',
    }
    const children = root.out_msgs.map((message, index) => ({
      ...rawTransaction({
        account: messages[index]?.to ?? '',
        lt: 1_000n + BigInt(index),
        success: index < count - failed,
        compute:
          index < count - failed
            ? { success: true, exitCode: 0 }
            : { success: false, exitCode: 37_000 },
      }),
      in_msg: message,
      raw: '',
    }))
    return shown(root, children).text
  }
  const clause = `called ${contractName} (opcode 0x00000001), attaching 0.05 TON`

  test('equal clauses are combined into one clause with their number', () => {
    expect(minting(163, 0)).toBe(`${payerName} 163 times ${clause}.`)
  })

  test('failed clauses are combined into one clause, which is not repeated as a further failure', () => {
    expect(minting(250, 249)).toBe(
      `${payerName} ${clause} and 249 times ${clause}, but it failed (exit code 37000).`,
    )
  })

  test('the number of failures among the messages beyond the clauses is shown once', () => {
    let next = 0
    const others = () => accountOf((0x10 + (next++ % 90)).toString(16))
    expect(minting(10, 3, others)).toMatch(/ and sent 6 more messages, of which 3 failed\.$/)
  })
})

describe('a response is compared with its own raw data', () => {
  const answer = rawTransaction({
    account: contract,
    lt: 100n,
    in: { from: payer, to: contract, value: 5n },
  })
  const problemOf = (changed: object) =>
    checkTransaction(transactionResponse.parse({ ...answer, ...changed })).problem

  test('correct data passes the check, and data without raw data is not checked', () => {
    expect(problemOf({})).toBeNull()
    expect(checkTransaction(transactionResponse.parse({ ...answer, raw: null }))).toMatchObject({
      isChecked: false,
      problem: null,
    })
  })

  test('correct data passes the check in any spelling of its hash and accounts', () => {
    const bytes = Buffer.from(answer.hash, 'hex')
    const message = answer.in_msg as { readonly hash: string }
    for (const encode of [
      (hex: string) => hex.toUpperCase(),
      (hex: string) => Buffer.from(hex, 'hex').toString('base64url'),
    ]) {
      // A stored transaction may have been parsed by an older version.
      const stored = {
        ...transactionResponse.parse(answer),
        hash: encode(bytes.toString('hex')),
        account: transactionResponse.parse({
          ...answer,
          account: { address: toAddress(contract).toString() },
        }).account,
      }
      expect(checkTransaction(stored)).toMatchObject({ isChecked: true, problem: null })
      const spelled = {
        ...message,
        hash: encode(message.hash),
        source: { address: toAddress(payer).toString({ bounceable: false }) },
        destination: { address: contract.toUpperCase() },
      }
      expect(problemOf({ in_msg: spelled })).toBeNull()
    }
  })

  test.each([
    ['another hash', { hash: 'ab'.repeat(32) }, 'a different hash'],
    ['an invalid BOC', { raw: 'b5ee9c72' }, 'not a BOC'],
    ['another account', { account: { address: other } }, 'account'],
    [
      'another value',
      { in_msg: { ...(answer.in_msg as object), value: 5_000_000_000 } },
      'messages',
    ],
    [
      'a message that was never sent',
      { out_msgs: [{ ...(answer.in_msg as object), hash: 'ef'.repeat(32) }] },
      'messages',
    ],
    [
      'a different exit code',
      { compute_phase: { skipped: false, success: false, exit_code: 5 } },
      'exit code',
    ],
    ['different fees', { total_fees: 1 }, 'fees'],
  ])('the check reports %s', (_, changed, words) => {
    expect(problemOf(changed)).toContain(words)
  })
})

test('the value flow contains a jetton whose details are unknown, and omits a wallet that holds no jetton', () => {
  const order = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(5n)
    .storeAddress(toAddress(other))
    .storeAddress(null)
    .storeBit(false)
    .storeCoins(1)
    .storeBit(false)
    .endCell()
  const moved = beginCell()
    .storeUint(0x178d4519, 32)
    .storeUint(0, 64)
    .storeCoins(5n)
    .storeAddress(toAddress(payer))
    .storeAddress(null)
    .storeCoins(0)
    .storeBit(false)
    .endCell()
  const transfer = { from: contract, to: accountOf('d4'), body: moved }
  const root = rawTransaction({
    account: contract,
    lt: 100n,
    in: { from: payer, to: contract, body: order },
    out: [transfer],
  })
  const child = rawTransaction({ account: accountOf('d4'), lt: 102n, in: transfer })
  const jettonsOf = (assetOf: AssetOf) =>
    shown(root, [child], assetOf).flow.flatMap(({ account, jettons }) =>
      jettons.map(({ asset, units }) => [account.address, asset, units]),
    )
  expect(jettonsOf(() => undefined)).toEqual([
    [payer, null, '-5'],
    [other, null, '5'],
  ])
  expect(jettonsOf(() => null)).toEqual([])
})

test('a transaction with absent, null and undocumented values is parsed', () => {
  const answer = rawTransaction({ account: contract, lt: 100n, in: { from: payer, to: contract } })
  const read = transactionResponse.parse({
    ...answer,
    raw: null,
    block: null,
    state_update_old: null,
    end_status: 'hibernating',
  })
  expect(read).toMatchObject({
    raw: '',
    block: '',
    state_update_old: '',
    end_status: 'hibernating',
  })
  expect(jettonPreview.parse({ address: other, symbol: null, decimals: 6 })).toMatchObject({
    symbol: '',
    name: '',
  })
})

test('extra currencies are shown beside TON in the sentence and in the value flow', () => {
  const extra = [{ amount: '2500', preview: { id: 100, symbol: 'FMS', decimals: 3, image: '' } }]
  const plain = rawTransaction({
    account: contract,
    lt: 100n,
    in: { from: payer, to: contract, value: 1_000_000_000n },
  })
  const { text, flow, views } = shown(withInMessage(plain, { value_extra: extra }))
  expect(text).toBe(`${payerName} sent 1 TON and 2.5 FMS to ${contractName}.`)
  const asset = { jetton: null, extraCurrency: 100, symbol: 'FMS', decimals: 3 }
  expect(flow[0]?.extra).toEqual([{ asset, units: '2500' }])
  expect(views[0]?.inMessage?.extra).toEqual([{ asset, units: '2500' }])
})

test('a balance of 0 of an active account is shown as unknown unless the gateway states it', () => {
  const answer = rawTransaction({ account: contract, lt: 100n, in: { from: payer, to: contract } })
  expect(shown(answer).views[0]?.balanceAfter).toBeNull()
  expect(shown({ ...answer, end_balance: 5 }).views[0]?.balanceAfter).toBe('5')
  expect(shown({ ...answer, raw: '', end_status: 'uninit' }).views[0]?.balanceAfter).toBe('0')
})

test("the gateway's decoded forward payload is shown beside its cell", () => {
  const payload = beginCell().storeUint(0x37c096df, 32).storeUint(18_302, 64).endCell()
  const body = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(5n)
    .storeAddress(toAddress(contract))
    .storeAddress(null)
    .storeBit(false)
    .storeCoins(1n)
    .storeBit(true)
    .storeRef(payload)
    .endCell()
  const transfer = { from: payer, to: contract, value: 5n, body }
  const answer = rawTransaction({ account: contract, lt: 100n, in: transfer })
  const decoded = {
    decoded_op_name: 'jetton_transfer',
    decoded_body: {
      forward_payload: {
        is_right: true,
        value: { sum_type: 'StonfiProvideLiquidity', value: { min_lp_out: 18_302 } },
      },
    },
  }
  const fields = (more: object) =>
    shown(withInMessage(answer, more)).views[0]?.inMessage?.body?.fields ?? []
  expect(fields(decoded)).toEqual(
    expect.arrayContaining([
      { name: 'forward_payload', kind: 'cell', value: formatCell(payload) },
      { name: 'forward_payload.value.sum_type', kind: 'text', value: 'StonfiProvideLiquidity' },
      { name: 'forward_payload.value.value.min_lp_out', kind: 'number', value: '18302' },
    ]),
  )
  // A gateway that decodes nothing, or something wrong, adds no fields.
  for (const decoded_body of [null, 'text', { forward_payload: 'b5ee' }]) {
    const names = fields({ decoded_body }).map(({ name }) => name)
    expect(names.filter((name) => name.startsWith('forward_payload'))).toEqual(['forward_payload'])
  }
})
