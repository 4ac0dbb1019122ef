/** A rebuilt body that differs from the real one by one byte proves nothing when it is replayed. */
import { expect, test } from 'vitest'
import { formatFriendly } from '../../../src-main/ton/address.ts'
import { documentedForm, learnForm, formatBody } from '../../../src-main/chain/rebuild-delivery.ts'

const sample = { account: `0:${'ab'.repeat(32)}`, lt: 41_000_000_001n, hash: 'cd'.repeat(32) }
const other = { account: `-1:${'0f'.repeat(32)}`, lt: 2n ** 63n + 12_345n, hash: '9e'.repeat(32) }

const learn = (body: string) => learnForm(Buffer.from(body))
const friendly = { bounceable: false, testOnly: true }
const toBase64 = (hash: string) => Buffer.from(hash, 'hex').toString('base64')

/** Writes the sample and the other event in the same form. */
type Writer = (event: typeof sample) => string

const writers: Readonly<Record<string, Writer>> = {
  'of the sandbox': ({ account, lt, hash }) =>
    `{"event_type":"account_tx","account_id":"${account}","lt":${lt},"tx_hash":"${hash}"}`,
  'without a type and with keys in another order': ({ account, lt, hash }) =>
    `{"tx_hash":"${hash}","lt":${lt},"account_id":"${account}"}`,
  'with unusual spacing': ({ account, lt, hash }) =>
    `\n{ "lt" :\t${lt} ,\r\n  "account_id":   "${account}","tx_hash":"${hash}" , "event_type": "account_tx" }\n`,
  'with the logical time as text': ({ account, lt, hash }) =>
    `{"account_id":"${account}","lt":"${lt}","tx_hash":"${hash}"}`,
  'in capital letters': ({ account, lt, hash }) =>
    `{"account_id":"${account.toUpperCase()}","lt":${lt},"tx_hash":"${hash.toUpperCase()}"}`,
  'with friendly addresses and base64': ({ account, lt, hash }) =>
    `{"account_id":"${formatFriendly(account, friendly)}","lt":${lt},"tx_hash":"${toBase64(hash)}"}`,
  'with an escape in a key': ({ account, lt, hash }) =>
    `{"account\\u005fid":"${account}","lt":${lt},"tx_hash":"${hash}"}`,
}

test.for(Object.entries(writers))(
  'a body %s is rebuilt byte by byte in the learned form',
  ([, write]) => {
    const form = learn(write(sample))
    if (form === null) throw new Error('The form was not learnt.')
    expect(formatBody(form, sample)).toBe(write(sample))
    // The number is beyond 2^53, where a JavaScript number would lose digits.
    expect(formatBody(form, other)).toBe(write(other))
  },
)

test('the documented form is the form of the sandbox', () => {
  const write = writers['of the sandbox']
  expect(formatBody(documentedForm, other)).toBe(write?.(other))
})

const whole = `"account_id":"${sample.account}","lt":${sample.lt},"tx_hash":"${sample.hash}"`
test.for([
  ['a repeated key', `{${whole},"lt":5}`],
  ['a repeated key, once escaped', `{${whole},"l\\u0074":5}`],
  ['a key whose value may differ in every event', `{${whole},"timestamp":1793000000}`],
  ['another event type', `{"event_type":"opcode_msg",${whole}}`],
  ['an account in another spelling', `{${whole.replace('0:ab', '0:AB')}}`],
  ['a hash in mixed case', `{${whole.replace('cdcd', 'CDcd')}}`],
  ['a logical time with an exponent', `{${whole.replace('41000000001', '4.1e10')}}`],
  ['a missing key', `{"account_id":"${sample.account}","lt":1}`],
  ['a nested object', `{${whole},"more":{}}`],
  ['a trailing comma', `{${whole},}`],
  ['text after the object', `{${whole}} {}`],
  ['an array instead of an object', `[${whole}]`],
  ['no content', ''],
  ['a key of the object prototype', `{${whole},"toString":1}`],
] as const)('a body with %s has no form that can be learned', ([, body]) => {
  expect(learn(body)).toBeNull()
})

test('a body that is not valid UTF-8 has no form that can be learned', () => {
  const bytes = Buffer.from(`{${whole},"event_type":"account_tx"}`)
  bytes[bytes.length - 3] = 0xff
  expect(learnForm(bytes)).toBeNull()
})

test('a long body of quotation marks is refused quickly', () => {
  expect(learn(`{"${'\\"'.repeat(30_000)}`)).toBeNull()
  expect(learn(`{${' '.repeat(60_000)}`)).toBeNull()
})
