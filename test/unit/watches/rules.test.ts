/** Tests which transactions match the rules of a watch. */
import { Address, beginCell } from '@ton/core'
import { expect, test } from 'vitest'
import { transactionResponse } from '../../../src-main/gateway/query-responses.ts'
import { matchOf } from '../../../src-main/watches/rules.ts'
import type { WatchRule } from '../../../src-preload/contract/watch.ts'
import { requiredFields } from '../../fixtures/raw-transaction.ts'

const account = `0:${'aa'.repeat(32)}`
const other = `0:${'bb'.repeat(32)}`
const jetton = `0:${'dd'.repeat(32)}`

function message(value: string, more: object = {}) {
  return {
    ...requiredFields.message,
    msg_type: 'int_msg',
    ihr_disabled: true,
    ihr_fee: '0',
    fwd_fee: '0',
    value,
    source: { address: other },
    destination: { address: account },
    hash: 'ab'.repeat(32),
    ...more,
  }
}

function transaction(
  value: string,
  { incoming = {}, ...more }: { incoming?: object; [key: string]: unknown } = {},
) {
  return transactionResponse.parse({
    ...requiredFields.transaction,
    hash: 'ef'.repeat(32),
    lt: '5',
    account: { address: account },
    success: true,
    utime: 1,
    orig_status: 'active',
    end_status: 'active',
    total_fees: '7',
    transaction_type: 'TransOrd',
    in_msg: message(value, incoming),
    out_msgs: [],
    compute_phase: { skipped: false, success: true, exit_code: 0 },
    aborted: false,
    ...more,
  })
}

const failed = {
  success: false,
  aborted: true,
  bounce_phase: 'TrPhaseBounceOk',
  compute_phase: { skipped: false, success: false, exit_code: 35 },
}

test('an incoming amount is compared exactly, and a returned amount does not match', () => {
  const rules: WatchRule[] = [{ kind: 'incoming', units: '9007199254740993' }]
  expect(matchOf(transaction('9007199254740992'), rules, null)).toBeNull()
  expect(matchOf(transaction('9007199254740993'), rules, null)).toBe(
    'received 9007199.254740993 TON',
  )
  expect(matchOf(transaction('9007199254740993', failed), rules, null)).toBeNull()
  const external = transaction('0', {
    in_msg: { ...message('9007199254740993'), msg_type: 'ext_in_msg' },
  })
  expect(matchOf(external, rules, null)).toBeNull()
})

test('a failed transaction and a returned message match the failure rule', () => {
  const rules: WatchRule[] = [{ kind: 'failure' }]
  expect(matchOf(transaction('1'), rules, null)).toBeNull()
  expect(matchOf(transaction('1', failed), rules, null)).toMatch(/^a failed transaction: /)
  const returned = transaction('1', { incoming: { bounced: true } })
  expect(matchOf(returned, rules, null)).toBe('a message that was returned')
})

test('an opcode matches in both directions, also as the second rule', () => {
  const rules: WatchRule[] = [{ kind: 'failure' }, { kind: 'opcode', opcode: 0xabc }]
  const withOpcode = { op_code: '0x00000abc' }
  expect(matchOf(transaction('1', { incoming: withOpcode }), rules, null)).toBe('opcode 0x00000abc')
  const sent = transaction('1', { out_msgs: [message('1', withOpcode)] })
  expect(matchOf(sent, rules, null)).toBe('opcode 0x00000abc')
  expect(matchOf(transaction('1'), rules, null)).toBeNull()
  expect(matchOf(transaction('1'), [], null)).toBe('a transaction')
})

test('a jetton rule matches the exact amount in its own wallet, unless the wallet rejected the transfer', () => {
  const rule = { kind: 'jetton', jetton, wallet: account, symbol: 'USDT', decimals: 6 } as const
  const rules: WatchRule[] = [{ ...rule, units: '1000001' }]
  const body = (units: bigint) =>
    beginCell()
      .storeUint(0x178d4519, 32)
      .storeUint(0, 64)
      .storeCoins(units)
      .storeAddress(Address.parse(other))
      .storeAddress(null)
      .storeCoins(0)
      .storeBit(0)
      .endCell()
      .toBoc()
      .toString('hex')
  const received = (units: bigint, more: object = {}) =>
    transaction('1', { incoming: { raw_body: body(units), op_code: '0x178d4519' }, ...more })
  expect(matchOf(received(1_000_000n), rules, jetton)).toBeNull()
  expect(matchOf(received(1_000_001n), rules, jetton)).toBe('received 1.000001 USDT')
  expect(matchOf(received(1_000_001n, failed), rules, jetton)).toBeNull()
  // Rules of a jetton apply only to transactions of its wallets.
  expect(matchOf(received(1_000_001n), rules, null)).toBeNull()
  expect(matchOf(received(1_000_001n), rules, `0:${'ee'.repeat(32)}`)).toBeNull()
  expect(matchOf(received(1_000_001n), [{ kind: 'incoming', units: '0' }], jetton)).toBeNull()
})
