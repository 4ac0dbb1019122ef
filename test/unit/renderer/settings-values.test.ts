import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import {
  joinBytes,
  readFieldErrors,
  readWhole,
  splitBytes,
} from '../../../src-renderer/app/use-form.ts'

describe('bytes in a form', () => {
  it.each([
    [1024, '1', 'KiB'],
    [1024 ** 2, '1', 'MiB'],
    [1.5 * 1024 ** 2, '1.5', 'MiB'],
    [2048 * 1024 ** 2, '2', 'GiB'],
    [1025, '1.0009765625', 'KiB'],
  ] as const)('%i is %s %s and comes back unchanged', (bytes, amount, unit) => {
    expect(splitBytes(bytes)).toEqual({ amount, unit })
    expect(joinBytes({ amount, unit })).toBe(bytes)
  })

  it.each(['', 'x', '-1', '1e9', '1.2.3', 'Infinity'])('takes %j for no size', (text) => {
    expect(joinBytes({ amount: text, unit: 'MiB' })).toBeNull()
  })
})

describe('whole numbers in a form', () => {
  it('reads back its own grouping', () => {
    expect(readWhole('1\u202f000\u202f000')).toBe(1_000_000)
    expect(readWhole(' 4801 ')).toBe(4801)
  })

  it.each(['', '1.5', '-1', '0x10', '1e3'])('takes %j for none', (text) => {
    expect(readWhole(text)).toBeNull()
  })
})

describe('errors of fields', () => {
  it('finds the first message for each field', () => {
    const error = new AppError('INVALID_INPUT', 'first', {
      data: [
        { path: 'receiver.port', message: 'first' },
        { path: 'receiver.port', message: 'second' },
      ],
    })
    expect(readFieldErrors(error)).toEqual({ 'receiver.port': 'first' })
  })

  it('does not take another error, or one without fields, for an error of a field', () => {
    expect(readFieldErrors(new AppError('PORT_TAKEN', 'taken'))).toBeNull()
    expect(readFieldErrors(new AppError('INVALID_INPUT', 'x', { data: 'odd' }))).toBeNull()
  })
})
