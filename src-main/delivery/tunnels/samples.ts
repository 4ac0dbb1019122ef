/** A delivery of each kind, in the gateway's shapes (gateway-facts 2.3 and 3.3). */
import type { CaptureKind } from '../../../src-preload/domain/capture-words.ts'

export type Sample = {
  readonly kind: Exclude<CaptureKind, 'unknown'>
  readonly body: string
}

const account = `0:${'5a'.repeat(32)}`
const hash = '7e'.repeat(32)
/** A message of nothing: 1 root, no bits. */
const emptyBoc = 'te6ccgEBAQEAAgAAAA=='

const event = (kind: string) =>
  JSON.stringify({ event_type: kind, account_id: account, lt: 1_000_001, tx_hash: hash })

/** @param seconds of the moment that it tells of */
export function samples(seconds: number): readonly Sample[] {
  return [
    { kind: 'account_tx', body: event('account_tx') },
    { kind: 'opcode_msg', body: event('opcode_msg') },
    { kind: 'new_contracts', body: event('new_contracts') },
    { kind: 'mempool_msg', body: JSON.stringify({ event_type: 'mempool_msg', boc: emptyBoc }) },
    {
      kind: 'invoice',
      body: JSON.stringify({
        id: 'sample00',
        amount: '1500000000',
        currency: 'TON',
        status: 'pending',
        description: 'A test delivery of Tondesk',
        pay_to_address: account,
        payment_link: `https://app.tonkeeper.com/transfer/${account}`,
        date_create: seconds,
        date_expire: seconds + 3600,
        date_change: seconds,
      }),
    },
  ]
}
