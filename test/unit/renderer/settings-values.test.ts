import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  readBytes,
  readFieldErrors,
  parseInteger,
  writeBytes,
} from '../../../src-renderer/app/use-form.ts'

describe('sizes in a field', () => {
  it.each([
    [1024, '1 KiB'],
    [1024 ** 2, '1 MiB'],
    [1.5 * 1024 ** 2, '1.5 MiB'],
    [2048 * 1024 ** 2, '2 GiB'],
    [1025, '1.0009765625 KiB'],
  ] as const)('%i bytes are formatted as %s and parsed back unchanged', (bytes, text) => {
    expect(writeBytes(bytes)).toBe(text)
    expect(readBytes(text)).toBe(bytes)
  })

  it('a size may have its unit without a space, in any case, and a decimal comma', () => {
    expect(readBytes(' 1,5gib ')).toBe(1.5 * 1024 ** 3)
    expect(readBytes('500 MB')).toBe(500 * 1024 ** 2)
  })

  // A number without a unit would be a guess, and a wrong guess deletes captures.
  it.each(['', 'x', '-1 MiB', '1e9 KiB', '1.2.3 MiB', '2', '2 TiB', 'MiB'])(
    'the text %j is refused as a size',
    (text) => {
      expect(readBytes(text)).toBeNull()
    },
  )
})

describe('whole numbers in a field', () => {
  it('a whole number is parsed with and without grouping', () => {
    expect(parseInteger('1\u202f000\u202f000')).toBe(1_000_000)
    expect(parseInteger(' 4801 ')).toBe(4801)
  })

  it.each(['', '1.5', '-1', '0x10', '1e3'])('the text %j is refused as a whole number', (text) => {
    expect(parseInteger(text)).toBeNull()
  })
})

describe('errors of fields', () => {
  it('the first message for each field is used', () => {
    const error = new AppError('INVALID_INPUT', 'first', {
      data: [
        { path: 'receiver.port', message: 'first' },
        { path: 'receiver.port', message: 'second' },
      ],
    })
    expect(readFieldErrors(error)).toEqual({ 'receiver.port': 'first' })
  })

  it('another error, or an error without fields, contains no field errors', () => {
    expect(readFieldErrors(new AppError('PORT_TAKEN', 'taken'))).toBeNull()
    expect(readFieldErrors(new AppError('INVALID_INPUT', 'x', { data: 'odd' }))).toBeNull()
  })
})
