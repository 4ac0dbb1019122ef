import { describe, expect, it } from 'vitest'
import { electronObstacle, rememberedFailure } from '../../build/lib/electron.mjs'
import { explainInstall, installKey, recordMatches } from '../../build/lib/install.mjs'
import { parseStart } from '../../build/lib/start.mjs'

const lock = (packages) => JSON.stringify({ packages: { '': { name: 'tondesk' }, ...packages } })
const record = (packages) => JSON.stringify({ packages })

describe('what npm installed', () => {
  const wanted = lock({
    'node_modules/a': { version: '1.0.0' },
    'node_modules/mac': { version: '2.0.0', optional: true },
  })

  it('matches without what is for another platform', () => {
    expect(recordMatches(wanted, record({ 'node_modules/a': { version: '1.0.0' } }))).toBe(true)
  })

  it.each([
    ['an older version', { 'node_modules/a': { version: '0.9.0' } }],
    ['a package missing', {}],
    [
      'a package nobody asked for',
      { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } },
    ],
  ])('does not match with %s', (_name, packages) => {
    expect(recordMatches(wanted, record(packages))).toBe(false)
  })

  it('is another installation on another platform', () => {
    expect(installKey(wanted, 'linux-x64')).not.toBe(installKey(wanted, 'darwin-arm64'))
  })
})

describe('a failed installation', () => {
  it.each([
    ['npm error code ENOTFOUND', /registry cannot be reached/],
    ['npm error code ECONNREFUSED', /registry cannot be reached/],
    ['npm error code EACCES', /\/clone cannot be written to/],
    ['npm error code ENOSPC', /disk is full/],
    ['npm error something else', /something else/],
  ])('%s is said in a sentence, with a way out', (output, sentence) => {
    const problem = explainInstall(output, '/clone')
    expect(problem.message).toMatch(sentence)
    expect(problem.wayOut).not.toBe('')
  })
})

describe('the choice of host', () => {
  const desktop = { platform: 'linux', display: true, uid: 1000, sandboxHelperReady: false }

  it('is Electron on an ordinary desktop', () => {
    expect(electronObstacle({ ...desktop, namespacesRestricted: false })).toBeUndefined()
    expect(electronObstacle({ platform: 'darwin' })).toBeUndefined()
    expect(electronObstacle({ platform: 'win32' })).toBeUndefined()
  })

  it.each([
    ['no display', { ...desktop, display: false }, /no display/],
    ['root', { ...desktop, uid: 0 }, /root/],
    ['restricted namespaces', { ...desktop, namespacesRestricted: true }, /chown root/],
  ])('is the browser with %s, and the reason fits on one line', (_name, system, reason) => {
    expect(electronObstacle(system)).toMatch(reason)
    expect(electronObstacle(system)).not.toContain('\n')
  })

  it('is Electron under restricted namespaces once its helper is set up', () => {
    const ready = { ...desktop, namespacesRestricted: true, sandboxHelperReady: true }
    expect(electronObstacle(ready)).toBeUndefined()
  })
})

describe('a failed fetch of Electron', () => {
  const day = 24 * 60 * 60 * 1000
  const memory = JSON.stringify({ version: '45.0.0', at: 1000, reason: 'ENOTFOUND' })

  it('is remembered for a day', () => {
    expect(rememberedFailure(memory, '45.0.0', 1000 + day - 1)).toBe('ENOTFOUND')
    expect(rememberedFailure(memory, '45.0.0', 1000 + day)).toBeUndefined()
  })

  it('says nothing of another version, of a clock set back or of a damaged note', () => {
    expect(rememberedFailure(memory, '45.0.1', 2000)).toBeUndefined()
    expect(rememberedFailure(memory, '45.0.0', 999)).toBeUndefined()
    expect(rememberedFailure('{', '45.0.0', 2000)).toBeUndefined()
    expect(rememberedFailure('', '45.0.0', 2000)).toBeUndefined()
  })
})

describe('flags of npm start', () => {
  it('go on to the app, but for its own', () => {
    expect(parseStart(['--browser', '--port', '4900'])).toEqual({
      dev: false,
      help: false,
      browser: true,
      rest: ['--port', '4900'],
    })
  })

  it('--no-open means browser mode, and reaches it', () => {
    expect(parseStart(['--no-open'])).toMatchObject({ browser: true, rest: ['--no-open'] })
  })
})
