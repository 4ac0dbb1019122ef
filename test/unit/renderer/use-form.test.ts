import { expect, test } from 'vitest'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { fieldErrorsOf } from '../../../src-renderer/app/use-form.ts'

const hasField = (name: string) => ['targets', 'filter'].includes(name)
const invalid = (...data: { path: string; message: string }[]) =>
  new AppError('INVALID_INPUT', data[0]?.message ?? 'The input is invalid.', {
    data,
  })

// An error at a field that the form does not have would be invisible.
test.each([
  [
    'an error of a field is shown at the field',
    invalid({ path: 'targets.1', message: 'No URL.' }),
    { errors: { 'targets.1': 'No URL.' }, problem: null },
  ],
  [
    'an error of a missing field is shown as the problem of the form',
    invalid(
      { path: 'targets.0', message: 'No URL.' },
      { path: 'action.headers', message: 'Too many.' },
    ),
    { errors: { 'targets.0': 'No URL.', 'action.headers': 'Too many.' }, problem: 'Too many.' },
  ],
  [
    'an error without a field is shown as the problem of the form',
    invalid(),
    { errors: {}, problem: 'The input is invalid.' },
  ],
  [
    'an error of a query is shown at its field',
    new AppError('QUERY_INVALID', 'A bracket is missing.'),
    { errors: { filter: 'A bracket is missing.' }, problem: null },
  ],
  [
    'any other error is shown as the problem of the form',
    new AppError('DISCONNECTED', 'The app has ended.'),
    { errors: {}, problem: 'The app has ended.' },
  ],
])('%s', (_, error, refused) => {
  expect(fieldErrorsOf(error, hasField)).toEqual(refused)
})

test('an error of a query is shown as the problem of a form without a query field', () => {
  const error = new AppError('QUERY_INVALID', 'A bracket is missing.')
  expect(fieldErrorsOf(error, () => false).problem).toBe('A bracket is missing.')
})
