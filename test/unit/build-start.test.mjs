import { describe, expect, it } from 'vitest'
import { electronObstacle, rememberedFailure } from '../../build/lib/electron.mjs'
import { explainInstall, installKey, recordMatches } from '../../build/lib/install.mjs'
import { parseStart } from '../../build/lib/start.mjs'

const lock = (packages) => JSON.stringify({ packages: { '': { name: 'tondesk' }, ...packages } })
const record = (packages) => JSON.stringify({ packages })

describe('the installed packages', () => {
  const wanted = lock({
    'node_modules/a': { version: '1.0.0' },
    'node_modules/mac': { version: '2.0.0', optional: true },
  })

  it('an installation matches its lock file without the optional packages of other platforms', () => {
    expect(recordMatches(wanted, record({ 'node_modules/a': { version: '1.0.0' } }))).toBe(true)
  })

  it.each([
    ['an older version', { 'node_modules/a': { version: '0.9.0' } }],
    ['a missing package', {}],
    [
      'an extra package',
      { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } },
    ],
  ])('an installation with %s does not match its lock file', (_name, packages) => {
    expect(recordMatches(wanted, record(packages))).toBe(false)
  })

  it('the installation key differs between platforms', () => {
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
  ])(
    'the error of a failed installation with the output "%s" names the cause and a solution',
    (output, sentence) => {
      const problem = explainInstall(output, '/clone')
      expect(problem.message).toMatch(sentence)
      expect(problem.wayOut).not.toBe('')
    },
  )
})

describe('the choice between Electron and the browser', () => {
  const desktop = { platform: 'linux', display: true, uid: 1000, sandboxHelperReady: false }

  it('an ordinary desktop runs Electron', () => {
    expect(electronObstacle({ ...desktop, namespacesRestricted: false })).toBeUndefined()
    expect(electronObstacle({ platform: 'darwin' })).toBeUndefined()
    expect(electronObstacle({ platform: 'win32' })).toBeUndefined()
  })

  it.each([
    ['no display', { ...desktop, display: false }, /no display/],
    ['the root user', { ...desktop, uid: 0 }, /root/],
    ['restricted namespaces', { ...desktop, namespacesRestricted: true }, /chown root/],
  ])(
    'a system with %s opens the browser, and the reason fits on one line',
    (_name, system, reason) => {
      expect(electronObstacle(system)).toMatch(reason)
      expect(electronObstacle(system)).not.toContain('\n')
    },
  )

  it('a system with restricted namespaces runs Electron once its sandbox helper is set up', () => {
    const ready = { ...desktop, namespacesRestricted: true, sandboxHelperReady: true }
    expect(electronObstacle(ready)).toBeUndefined()
  })
})

describe('a failed download of Electron', () => {
  const day = 24 * 60 * 60 * 1000
  const memory = JSON.stringify({ version: '45.0.0', at: 1000, reason: 'ENOTFOUND' })

  it('a failed download of Electron is remembered for a day', () => {
    expect(rememberedFailure(memory, '45.0.0', 1000 + day - 1)).toBe('ENOTFOUND')
    expect(rememberedFailure(memory, '45.0.0', 1000 + day)).toBeUndefined()
  })

  it('the record of a failed download is ignored for another version, after the clock was set back and when damaged', () => {
    expect(rememberedFailure(memory, '45.0.1', 2000)).toBeUndefined()
    expect(rememberedFailure(memory, '45.0.0', 999)).toBeUndefined()
    expect(rememberedFailure('{', '45.0.0', 2000)).toBeUndefined()
    expect(rememberedFailure('', '45.0.0', 2000)).toBeUndefined()
  })
})

describe('the options of npm start', () => {
  it('npm start passes all options except its own to the app', () => {
    expect(parseStart(['--browser', '--port', '4900'])).toEqual({
      dev: false,
      help: false,
      browser: true,
      rest: ['--port', '4900'],
    })
  })

  it('--no-open selects browser mode and is passed on', () => {
    expect(parseStart(['--no-open'])).toMatchObject({ browser: true, rest: ['--no-open'] })
  })
})
