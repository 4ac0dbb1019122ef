/** Tests calls to threads and processes: a call without a response would keep a page waiting forever. */
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../src-preload/domain/app-error.ts'
import { errcodeOf } from '../../../src-main/database/database.ts'
import { forkProcess } from '../../../src-main/networks/sandbox-process.ts'
import { WorkEnded, createStartWork, startThread } from '../../../src-main/threads/rpc.ts'
import type { PeerCalls, PeerReports } from '../../fixtures/rpc-peer.ts'

const entry = new URL('../../fixtures/rpc-peer.ts', import.meta.url)

function startPeer(kind: 'thread' | 'process') {
  const heard: string[] = []
  const troubles: (readonly [string, boolean])[] = []
  const functions: PeerReports = {
    double(value) {
      if (value < 0) throw new AppError('HOST_REFUSED', 'Not below zero.')
      return value * 2
    },
    heard: (text) => void heard.push(text),
  }
  const peer =
    kind === 'thread'
      ? startThread<PeerCalls, PeerReports>(entry, { name: 'peer' }, functions, {
          onTrouble: (message, damage) => void troubles.push([message, damage]),
          toEnded: ({ message }) => new Error(`over: ${message}`),
        })
      : createStartWork(
          (flags) => forkProcess(entry, [], flags),
          64,
        )<PeerCalls, PeerReports>(functions)
  return { peer, heard, troubles, [Symbol.asyncDispose]: () => peer.stop() }
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable('it was answered'),
    (error: unknown) => error as Error,
  )

describe.each(['thread', 'process'] as const)('a %s with calls', (kind) => {
  test('calls are executed in any order, also before its start, and can call back', async () => {
    await using started = startPeer(kind)
    const { peer } = started
    const waiting = peer.call('wait')
    const value = { at: 1n, bytes: new Uint8Array([1, 2]), none: null }
    expect(await peer.call('echo', value)).toEqual(value)
    peer.notify('release', 'at last')
    expect(await waiting).toBe('at last')
    expect(await peer.call('doubled', 20)).toBe(41)
    expect(await failure(peer.call('doubled', -1))).toMatchObject({ code: 'HOST_REFUSED' })
  })

  test('a failing call has the original error: AppError with its data, SQLite’s code, or a value that cannot be cloned', async () => {
    await using started = startPeer(kind)
    const { peer, troubles } = started
    const refused = await failure(peer.call('refuse'))
    expect(refused).toBeInstanceOf(AppError)
    expect(refused).toMatchObject({
      code: 'PEER_REFUSED',
      message: 'Not this.',
      data: { field: 'name' },
    })
    const damage = await failure(peer.call('damage'))
    expect(damage).toMatchObject({ message: 'database disk image is malformed' })
    expect(errcodeOf(damage)).toBe(267)
    expect(damage.stack).toContain('rpc-peer')
    expect((await failure(peer.call('unclonable'))).message).toContain('could not be cloned')
    if (kind === 'process') return
    await peer.call('report', 'by itself')
    expect(troubles).toEqual([
      ['database disk image is malformed', true],
      ['by itself', false],
    ])
  })

  test.each(['die', 'crash'] as const)(
    'running and later calls are rejected when it ends (%s)',
    async (how) => {
      await using started = startPeer(kind)
      const { peer, troubles } = started
      const failed = failure(peer.call('hang'))
      peer.notify(how)
      const error = await failed
      const later = await failure(peer.call('echo', 1))
      expect(later).toBe(error)
      peer.notify('release', 'nobody is there')
      const told = how === 'crash' ? 'a bug outside of calls' : null
      if (kind === 'thread') {
        expect(error.message).toBe(`over: ${told ?? 'its thread has ended'}`)
        expect(troubles).toEqual(told === null ? [] : [[told, false]])
      } else {
        expect(error instanceof WorkEnded).toBe(told === null)
        expect(error.message).toBe(told ?? 'exit code 3')
      }
    },
  )

  test('running calls finish before it closes, and later calls are refused', async () => {
    const { peer, heard } = startPeer(kind)
    await peer.call('echo', 1)
    const hanging = failure(peer.call('hang'))
    const before = peer.call('echo', 2)
    const closed = peer.close()
    expect((await failure(peer.call('echo', 3))).message).toContain('Tondesk is closing')
    expect(await before).toBe(2)
    await closed
    expect(heard).toEqual(['closing'])
    expect((await hanging).message).toContain('Tondesk is closing')
    await peer.close()
    await peer.stop()
  })

  test('a peer that does not close is ended', async () => {
    const { peer } = startPeer(kind)
    await peer.close(0)
  })
})

test('a buffer in the transfer list is moved to the thread, not copied', async () => {
  await using started = startPeer('thread')
  const bytes = new ArrayBuffer(64)
  expect(await started.peer.call('size', bytes, [bytes])).toBe(64)
  expect(bytes.byteLength).toBe(0)
})
