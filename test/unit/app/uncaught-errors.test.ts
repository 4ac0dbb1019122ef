import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { isConnectionError } from '../../../src-main/app/uncaught-errors.ts'

function errorWith(fields: Record<string, unknown>): Error {
  return Object.assign(new Error('an error'), fields)
}

test.each([
  ['a connection reset', { errno: -104, code: 'ECONNRESET', syscall: 'read' }],
  ['a closed reader', { errno: -32, code: 'EPIPE', syscall: 'write' }],
  ['a connection that every address refused', { code: 'ECONNREFUSED', errors: [] }],
  ['an unknown host name', { errno: -3008, code: 'ENOTFOUND', syscall: 'getaddrinfo' }],
  ['too many open files on accept', { errno: -24, code: 'EMFILE', syscall: 'accept' }],
  ['a write after the end', { code: 'ERR_STREAM_WRITE_AFTER_END' }],
  ['an invalid HTTP request', { code: 'HPE_INVALID_METHOD' }],
  ['a thread out of memory', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
])('the process survives the error of a connection: %s', (_name, fields) => {
  expect(isConnectionError(errorWith(fields))).toBe(true)
})

test.each([
  ['a full disk', { errno: -28, code: 'ENOSPC', syscall: 'write' }],
  ['a file that cannot be opened', { errno: -24, code: 'EMFILE', syscall: 'open', path: '/x' }],
  ['an SQLite error', { code: 'ERR_SQLITE_ERROR', errcode: 11 }],
  ['a wrong argument', { code: 'ERR_INVALID_ARG_TYPE' }],
  ['an error without a code', {}],
])('the process ends after an error that leaves its state unknown: %s', (_name, fields) => {
  expect(isConnectionError(errorWith(fields))).toBe(false)
})

test('a thrown value that is no error ends the process', () => {
  expect([null, undefined, 'ECONNRESET', { code: 'ECONNRESET' }].some(isConnectionError)).toBe(
    false,
  )
})

test("the system's error for a port in use ends the process", async () => {
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
