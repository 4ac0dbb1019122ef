/** A rebuilt body that differs by one byte from the real one proves nothing when it is replayed. */
import { expect, test } from 'vitest'
import { formatFriendly } from '../../src-main/ton/address.ts'
import { documentedForm, learnForm, formatBody } from '../../src-main/chain/rebuild-delivery.ts'

const sample = { account: `0:${'ab'.repeat(32)}`, lt: 41_000_000_001n, hash: 'cd'.repeat(32) }
const other = { account: `-1:${'0f'.repeat(32)}`, lt: 2n ** 63n + 12_345n, hash: '9e'.repeat(32) }

const learn = (body: string) => learnForm(Buffer.from(body))
const friendly = { bounceable: false, testOnly: true }
const toBase64 = (hash: string) => Buffer.from(hash, 'hex').toString('base64')

/** Written for the sample by the hand that writes it for the other. */
type Writer = (event: typeof sample) => string

const writers: Readonly<Record<string, Writer>> = {
  'as the sandbox writes it': ({ account, lt, hash }) =>
    `{"event_type":"account_tx","account_id":"${account}","lt":${lt},"tx_hash":"${hash}"}`,
  'without a type, keys in another order': ({ account, lt, hash }) =>
    `{"tx_hash":"${hash}","lt":${lt},"account_id":"${account}"}`,
  'with odd spacing': ({ account, lt, hash }) =>
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

test.for(Object.entries(writers))('a body %s is written so again', ([, write]) => {
  const form = learn(write(sample))
  if (form === null) throw new Error('The form was not learnt.')
  expect(formatBody(form, sample)).toBe(write(sample))
  // Beyond 2^53, where a JS number would lose digits.
  expect(formatBody(form, other)).toBe(write(other))
})

test('the documented form is that of the sandbox', () => {
  const write = writers['as the sandbox writes it']
  expect(formatBody(documentedForm, other)).toBe(write?.(other))
})

const whole = `"account_id":"${sample.account}","lt":${sample.lt},"tx_hash":"${sample.hash}"`
test.for([
  ['a key twice', `{${whole},"lt":5}`],
  ['a key twice, once escaped', `{${whole},"l\\u0074":5}`],
  ['a key that may differ in every event', `{${whole},"timestamp":1793000000}`],
  ['another type', `{"event_type":"opcode_msg",${whole}}`],
  ['an account in another form', `{${whole.replace('0:ab', '0:AB')}}`],
  ['a hash in mixed letters', `{${whole.replace('cdcd', 'CDcd')}}`],
  ['a logical time with an exponent', `{${whole.replace('41000000001', '4.1e10')}}`],
  ['a key too few', `{"account_id":"${sample.account}","lt":1}`],
  ['an object within', `{${whole},"more":{}}`],
  ['a comma too many', `{${whole},}`],
  ['something after it', `{${whole}} {}`],
  ['no object', `[${whole}]`],
  ['nothing', ''],
  ['a key of the prototype', `{${whole},"toString":1}`],
] as const)('%s: the documented form is used instead', ([, body]) => {
  expect(learn(body)).toBeNull()
})

test('bytes that are no text have no form', () => {
  const bytes = Buffer.from(`{${whole},"event_type":"account_tx"}`)
  bytes[bytes.length - 3] = 0xff
  expect(learnForm(bytes)).toBeNull()
})

test('a long body of quotes takes no time worth the name', () => {
  expect(learn(`{"${'\\"'.repeat(30_000)}`)).toBeNull()
  expect(learn(`{${' '.repeat(60_000)}`)).toBeNull()
})
