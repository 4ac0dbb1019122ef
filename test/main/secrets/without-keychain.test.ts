import { expect, test as always } from 'vitest'
import { createSecretStore } from '../../../src-main/secrets/secret-store.ts'
import { createSessionOnly } from '../../../src-main/secrets/keychain.ts'
import { type TestApp, startApp } from '../../fixtures/app.ts'
import { bearerHeader } from '../../fixtures/bodies.ts'
import { temporaryDirectory } from '../../fixtures/directory.ts'
import { filesHolding } from '../../fixtures/files.ts'

// The variable is set before the keychain’s module is loaded, so this process has no session bus
// and no keychain.
process.env['DBUS_SESSION_BUS_ADDRESS'] = 'unix:path=/nonexistent'
const test = always.skipIf(process.platform !== 'linux')
if (process.platform !== 'linux') {
  process.stderr.write('Being without a keychain is not tested: this system always has one.\n')
}

const token = `c4n4ry-${crypto.randomUUID()}`

/** Starts an app and waits until it has found that there is no keychain. */
async function start(dataDirectory: string): Promise<TestApp> {
  const app = await startApp({ dataDirectory })
  await app.request('secrets.retryKeychain')
  return app
}

test('without a keychain a token is refused with the reason and an alternative, and stored nowhere', async () => {
  using home = temporaryDirectory()
  {
    await using app = await start(home.path)
    const state = await app.request('secrets.state')
    expect(state.place).toBe('none')
    expect(state.problem).toMatch(/keychain/)
    const answer = await app.envelope('webhookToken.add', { label: 'shop', token })
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'SECRETS_UNAVAILABLE',
        message: expect.stringMatching(/this session only/) as string,
      },
    })
    expect(JSON.stringify([answer, app.events])).not.toContain(token)
    expect(await app.request('webhookToken.list')).toEqual([])
    expect(await app.post('goes on', { headers: bearerHeader(token) })).toBe(200)
    await app.request('capture.clear', { keepPinned: false })
  }
  // The delivery above had the token, so its capture is deleted first.
  expect(filesHolding(`${home.path}/logs`, token)).toEqual([])
})

test('a token for the session only is used, and absent after a restart', async () => {
  using home = temporaryDirectory()
  let id: string
  {
    await using app = await start(home.path)
    expect(await app.request('secrets.useSessionOnly')).toMatchObject({ place: 'session' })
    const added = await app.request('webhookToken.add', { label: 'shop', token })
    id = added.id
    await app.post('without')
    await app.post('wrong', { headers: bearerHeader('another-token') })
    const { rows } = await app.request('capture.list', {})
    expect(rows.map((row) => row.token)).toEqual(['wrong', 'missing'])
    // Checking the keychain again does not undo the choice.
    expect(await app.request('secrets.retryKeychain')).toMatchObject({ place: 'session' })
    expect(await app.request('webhookToken.list')).toMatchObject([{ id, present: true }])
    await app.until(() => app.events.some(({ name }) => name === 'secrets.changed'))
  }
  expect(filesHolding(home.path, token)).toEqual([])
  await using app = await start(home.path)
  expect(await app.request('secrets.state')).toMatchObject({ place: 'none' })
  expect(await app.request('webhookToken.list')).toMatchObject([
    { id, label: 'shop', present: false },
  ])
  await app.post('checked against nothing', { headers: bearerHeader('another-token') })
  expect((await app.request('capture.list', {})).rows[0]?.token).toBe('unchecked')
  await app.request('webhookToken.remove', { id })
  expect(await app.request('webhookToken.list')).toEqual([])
})

always(
  'a choice of the session during the check of the keychain stays, and later secrets are not lost',
  async () => {
    const asked = Promise.withResolvers<null>()
    const store = createSecretStore({
      keychain: { ...createSessionOnly(), get: () => asked.promise },
      session: createSessionOnly(),
      onChanged: () => undefined,
    })
    const probed = store.retryKeychain()
    store.useSessionOnly()
    await store.set('a', 'secret')
    asked.resolve(null)
    expect(await probed).toEqual({ place: 'session', problem: null })
    expect(await store.get('a')).toBe('secret')
  },
)

always('a keychain that begins to fail is reported as unavailable, with the reason', async () => {
  let answers = true
  const memory = createSessionOnly()
  const failing = <T>(work: () => Promise<T>) =>
    answers ? work() : Promise.reject(new Error('the collection is locked'))
  const store = createSecretStore({
    keychain: {
      get: (name) => failing(() => memory.get(name)),
      set: (name, secret) => failing(() => memory.set(name, secret)),
      delete: (name) => failing(() => memory.delete(name)),
    },
    session: createSessionOnly(),
    onChanged: () => undefined,
  })
  expect(await store.retryKeychain()).toEqual({ place: 'keychain', problem: null })
  await store.set('a', 'secret')
  answers = false
  for (const work of [() => store.get('a'), () => store.set('b', 'c'), () => store.delete('a')]) {
    await expect(work()).rejects.toMatchObject({
      code: 'SECRETS_UNAVAILABLE',
      message: expect.stringMatching(/locked/) as string,
    })
  }
  answers = true
  expect(await store.get('a')).toBe('secret')
})
