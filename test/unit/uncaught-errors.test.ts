import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { isConnectionError } from '../../src-main/app/uncaught-errors.ts'

function errorWith(fields: Record<string, unknown>): Error {
  return Object.assign(new Error('an error'), fields)
}

test.each([
  ['a reset', { errno: -104, code: 'ECONNRESET', syscall: 'read' }],
  ['a reader that is gone', { errno: -32, code: 'EPIPE', syscall: 'write' }],
  ['every address refused', { code: 'ECONNREFUSED', errors: [] }],
  ['a name that does not exist', { errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
  ['too many open files at an accept', { errno: -24, code: 'EMFILE', syscall: 'accept' }],
  ['a write after the end', { code: 'ERR_STREAM_WRITE_AFTER_END' }],
  ['a request that is no HTTP', { code: 'HPE_INVALID_METHOD' }],
  ['a thread out of memory', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
])('%s is survived: one connection does not end the process', (_name, fields) => {
  expect(isConnectionError(errorWith(fields))).toBe(true)
})

test.each([
  ['a full disk', { errno: -28, code: 'ENOSPC', syscall: 'write' }],
  ['a file that cannot be opened', { errno: -24, code: 'EMFILE', syscall: 'open', path: '/x' }],
  ['an error of SQLite', { code: 'ERR_SQLITE_ERROR', errcode: 11 }],
  ['a wrong argument', { code: 'ERR_INVALID_ARG_TYPE' }],
  ['an error without a code', {}],
])('%s ends the process: its state is unknown', (_name, fields) => {
  expect(isConnectionError(errorWith(fields))).toBe(false)
})

test('what is no error at all ends it too', () => {
  expect([null, undefined, 'ECONNRESET', { code: 'ECONNRESET' }].some(isConnectionError)).toBe(
    false,
  )
})

test('the error that the system reports for a taken port is one of the program', async () => {
  const first = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => first.once('listening', resolve))
  const second = createServer()
  const error = await new Promise((resolve) => {
    second.once('error', resolve)
    second.listen(first.address())
  })
  first.close()
  expect(isConnectionError(error)).toBe(false)
})
