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

test('formatting and compacting JSON preserves every digit, escape and key', () => {
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
  ['JSON as the gateway writes it', odd],
  ['JSON with unusual spacing', '{ "a" :1 }'],
  ['text that is no JSON', 'a=1&b=\u0000é😀\r\n'],
  ['a large text', 'é'.repeat(100_000)],
  ['an empty text', ''],
])('an unedited body is sent byte by byte: %s', (_name, text) => {
  const base64 = base64FromText(text)
  const edit = bodyOf(base64, true)
  expect(parseBody(edit)).toMatchObject({ body: base64, bodyAs: 'text' })
  const turned = convertBody(edit)
  expect(turned && parseBody(turned)).toMatchObject({ body: base64, bodyAs: 'bytes' })
})

test('binary bodies are edited as base64, and invalid base64 is reported', () => {
  const edit = bodyOf('/wD+', false)
  expect(edit.as).toBe('base64')
  expect(convertBody(edit)).toBeNull()
  expect(parseBody({ ...edit, text: '/wD' }).problem).toContain('Not valid base64')
  // A changed number is the only difference, although the body was edited in its formatted form.
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

test('revealing secrets preserves the edits', () => {
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

test('invalid fields of a request and of a rule are reported at the field', () => {
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
  // Fields of the other mode are neither checked nor saved.
  const through = parseRule({
    ...newRule,
    targets: ['http://a'],
    mode: 'through',
    giveUpHours: 'x',
  })
  expect(through.input).toMatchObject({ mode: 'through', giveUpHours: null, timeoutSeconds: 15 })
})
