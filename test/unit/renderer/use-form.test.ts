import { expect, test } from 'vitest'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { readRefused } from '../../../src-renderer/app/use-form.ts'

const hasField = (name: string) => ['targets', 'filter'].includes(name)
const invalid = (...data: { path: string; message: string }[]) =>
  new AppError('INVALID_INPUT', data[0]?.message ?? 'The input is invalid.', {
    data,
  })

// What is said at a field that the form does not have is seen by nobody.
test.each([
  [
    'at a field of the form',
    invalid({ path: 'targets.1', message: 'No URL.' }),
    { errors: { 'targets.1': 'No URL.' }, problem: null },
  ],
  [
    'at one that it has not',
    invalid(
      { path: 'targets.0', message: 'No URL.' },
      { path: 'action.headers', message: 'Too many.' },
    ),
    { errors: { 'targets.0': 'No URL.', 'action.headers': 'Too many.' }, problem: 'Too many.' },
  ],
  ['at none', invalid(), { errors: {}, problem: 'The input is invalid.' }],
  [
    'of a query',
    new AppError('QUERY_INVALID', 'A bracket is missing.'),
    { errors: { filter: 'A bracket is missing.' }, problem: null },
  ],
  [
    'of anything else',
    new AppError('DISCONNECTED', 'The app has ended.'),
    { errors: {}, problem: 'The app has ended.' },
  ],
])('what is refused %s is seen', (_, error, refused) => {
  expect(readRefused(error, hasField)).toEqual(refused)
})

test('a query that cannot be read is told of where there is no field for it', () => {
  const error = new AppError('QUERY_INVALID', 'A bracket is missing.')
  expect(readRefused(error, () => false).problem).toBe('A bracket is missing.')
})
