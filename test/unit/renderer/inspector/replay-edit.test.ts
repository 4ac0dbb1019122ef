import { expect, test } from 'vitest'
import { newRule, parseRule } from '../../../../src-renderer/features/delivery/forward-rules.tsx'
import {
  type Draft,
  base64FromText,
  bodyOf,
  compactJson,
  convertBody,
  editOf,
  formatJson,
  parseBody,
  parseEdit,
  revealSecrets,
} from '../../../../src-renderer/features/delivery/request-edit.ts'

const odd =
  '{"lt":46900000000000000017,"a":{},"b":[],"s":"x, y: {\\"z\\"}","lt":1.0e3,"c":[1,{"d":null}]}'

test('JSON is laid out and put together again without a digit, an escape or a key lost', () => {
  const laidOut = formatJson(odd) ?? ''
  expect(laidOut.split('\n').slice(0, 4)).toEqual([
    '{',
    '  "lt": 46900000000000000017,',
    '  "a": {},',
    '  "b": [],',
  ])
  expect(compactJson(laidOut)).toBe(odd)
  for (const text of ['', 'plain', '{"a":1', '[1,]', '1']) expect(formatJson(text), text).toBeNull()
})

test.each([
  ['as the gateway writes it', odd],
  ['with spaces of its own', '{ "a" :1 }'],
  ['no JSON', 'a=1&b=\u0000é😀\r\n'],
  ['large', 'é'.repeat(100_000)],
  ['nothing', ''],
])('a body that was not edited goes out byte for byte: %s', (_name, text) => {
  const base64 = base64FromText(text)
  const edit = bodyOf(base64, true)
  expect(parseBody(edit)).toMatchObject({ body: base64, bodyAs: 'text' })
  const turned = convertBody(edit)
  expect(turned && parseBody(turned)).toMatchObject({ body: base64, bodyAs: 'bytes' })
})

test('bytes that are no text stay bytes; what is no base64 is told', () => {
  const edit = bodyOf('/wD+', false)
  expect(edit.as).toBe('base64')
  expect(convertBody(edit)).toBeNull()
  expect(parseBody({ ...edit, text: '/wD' }).problem).toContain('Not valid base64')
  // A change of one number differs in that number alone, though it was edited laid out.
  const json = bodyOf(base64FromText('{"a":1,"b":2}'), true)
  const changed = { ...json, text: json.text.replace('1', '7') }
  expect(parseBody(changed)).toMatchObject({ body: base64FromText('{"a":7,"b":2}') })
})

const masked: Draft = {
  method: 'POST',
  subpath: '?token=****',
  headers: [
    ['Authorization', 'Bearer ****1234'],
    ['X-Other-Token', '****'],
    ['Content-Type', 'application/json'],
  ],
  body: base64FromText('{}'),
  bodyAs: 'text',
  isText: true,
  textProblem: null,
  masked: true,
}
const whole: Draft = {
  ...masked,
  subpath: '?token=secret',
  headers: [
    ['Authorization', 'Bearer real1234'],
    ['X-Other-Token', 'other'],
    ['Content-Type', 'application/json'],
  ],
  masked: false,
}

test('once secrets are shown, what was edited stays edited', () => {
  const begun = editOf(masked)
  const headers = begun.headers.map((each) => (each.key === 1 ? { ...each, value: 'mine' } : each))
  const shown = revealSecrets({ ...begun, headers }, masked, whole)
  expect(shown.subpath).toBe('?token=secret')
  expect(shown.headers.map(({ value }) => value)).toEqual([
    'Bearer real1234',
    'mine',
    'application/json',
  ])
})

test('what cannot be sent is told at its field', () => {
  const begun = editOf(masked)
  const headers = [
    { key: 0, name: 'Bad Name', value: '' },
    { key: 4, name: 'X-Line', value: 'a\r\nInjected: 1' },
    { key: 5, name: '', value: '' },
  ]
  const read = parseEdit({ ...begun, method: 'po st', headers })
  expect(Object.keys(read.errors ?? {})).toEqual(['method', 'headers.0', 'headers.4'])

  const rule = parseRule({
    ...newRule,
    targets: ['http://localhost:3000', ' ', 'http://localhost:3000'],
    timeoutSeconds: '121',
    giveUpHours: '0',
  })
  expect(Object.keys(rule.errors ?? {})).toEqual([
    'targets.1',
    'targets.2',
    'timeoutSeconds',
    'giveUpHours',
  ])
  // What belongs to the other way is not asked for, and not saved.
  const through = parseRule({
    ...newRule,
    targets: ['http://a'],
    mode: 'through',
    giveUpHours: 'x',
  })
  expect(through.input).toMatchObject({ mode: 'through', giveUpHours: null, timeoutSeconds: 15 })
})
