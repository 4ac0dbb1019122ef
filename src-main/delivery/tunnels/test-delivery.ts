/**
 * Posts a sample of each kind of event with the right token (valid once), with a wrong one and with
 * none. The captures are marked as tests, which lists, invoices and rules ignore.
 */
import { randomBytes } from 'node:crypto'
import type { TestDelivery } from '../../../src-preload/contract/tunnel.ts'
import { readVia } from '../../captures/via.ts'
import type { CheckDeps } from './check.ts'
import type { CaptureKind } from '../../../src-preload/domain/capture-values.ts'

/** The samples have the gateway's shapes (gateway-facts 2.3 and 3.3). */

type Sample = { readonly kind: Exclude<CaptureKind, 'unknown'>; readonly body: string }

const account = `0:${'5a'.repeat(32)}`
const hash = '7e'.repeat(32)
/** The BOC of an empty cell: 1 root, no bits. */
const emptyBoc = 'te6ccgEBAQEAAgAAAA=='

/** The sample event of a kind, with an account that does not exist. */
export const sampleEvent = (kind: string) =>
  JSON.stringify({ event_type: kind, account_id: account, lt: 1_000_001, tx_hash: hash })

function samples(seconds: number): readonly Sample[] {
  return [
    { kind: 'account_tx', body: sampleEvent('account_tx') },
    { kind: 'opcode_msg', body: sampleEvent('opcode_msg') },
    { kind: 'new_contracts', body: sampleEvent('new_contracts') },
    { kind: 'mempool_msg', body: JSON.stringify({ event_type: 'mempool_msg', boc: emptyBoc }) },
    {
      kind: 'invoice',
      body: JSON.stringify({
        id: 'sample00',
        amount: '1500000000',
        currency: 'TON',
        status: 'pending',
        description: 'Test delivery from Tondesk',
        pay_to_address: account,
        payment_link: `https://app.tonkeeper.com/transfer/${account}`,
        date_create: seconds,
        date_expire: seconds + 3600,
        date_change: seconds,
      }),
    },
  ]
}

type TestDeps = CheckDeps & { readonly rejectWrongToken: () => boolean }

type Auth = TestDelivery['auth']

const authWords: { readonly [A in Auth]: string } = {
  right: 'right token',
  wrong: 'wrong token',
  none: 'no token',
}
const verdicts = { right: 'right', wrong: 'wrong', none: 'missing' } as const
/**
 * After this many samples in a row that did not arrive, the rest is skipped, because each may take
 * seconds.
 */
const maxInVain = 2

export async function testDeliveries(hook: string, deps: TestDeps): Promise<TestDelivery[]> {
  const all = samples(Math.floor(deps.now() / 1000)).flatMap((sample) => {
    // Deliveries of invoices carry no bearer token by design.
    const ways: readonly Auth[] = sample.kind === 'invoice' ? ['none'] : ['right', 'wrong', 'none']
    return ways.map((auth) => ({ sample, auth }))
  })
  const deliveries: TestDelivery[] = []
  let inVain = 0
  for (const { sample, auth } of all) {
    if (inVain >= maxInVain) {
      const nothing = { status: null, durationUs: 0, capture: null, via: [], ok: false }
      const problem = 'Not sent, because earlier deliveries did not arrive.'
      deliveries.push({ ...describeTest(sample, auth, deps), ...nothing, problem })
      continue
    }
    const delivery = await deliver(hook, sample, auth, deps)
    inVain = delivery.capture === null ? inVain + 1 : 0
    deliveries.push(delivery)
  }
  return deliveries
}

function describeTest({ kind }: Sample, auth: Auth, deps: TestDeps) {
  const isRefused = kind !== 'invoice' && auth !== 'right' && deps.rejectWrongToken()
  return { kind, title: `${kind}, ${authWords[auth]}`, auth, expected: isRefused ? '401' : '200' }
}

async function deliver(
  hook: string,
  sample: Sample,
  auth: Auth,
  deps: TestDeps,
): Promise<TestDelivery> {
  const probe = await deps.expectProbe('test')
  try {
    const bearer = auth === 'right' ? probe.token : randomBytes(16).toString('hex')
    const body = Buffer.from(sample.body)
    const reply = await deps.send({
      url: hook,
      headers: {
        [probe.header[0]]: probe.header[1],
        'content-type': 'application/json',
        'user-agent': 'Tondesk test delivery',
        ...(auth !== 'none' && { authorization: `Bearer ${bearer}` }),
      },
      body,
    })
    const arrival = await probe.arrived()
    const { status, failed } = reply
    const test = describeTest(sample, auth, deps)
    const problem =
      arrival === null
        ? (failed?.why ??
          `The response was ${status ?? 0}, but the delivery did not arrive at this receiver.`)
        : !body.equals(arrival.body)
          ? 'The body that arrived differs from the one that was sent.'
          : arrival.token !== verdicts[auth]
            ? 'The Authorization header did not arrive as it was sent.'
            : status === null
              ? `The delivery arrived, but no response came back: ${failed?.why ?? ''}`
              : String(status) === test.expected
                ? null
                : `The response was ${status} instead of ${test.expected}.`
    return {
      ...test,
      status,
      durationUs: reply.totalUs,
      capture: arrival?.capture ?? null,
      via: arrival === null ? [] : readVia(arrival.headers),
      ok: problem === null,
      problem,
    }
  } finally {
    await probe.arrived()
  }
}
