import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import {
  verifyBill,
  verifyFiles,
  verifyImports,
  verifySize,
  verifyText,
  required,
} from '../../build/lib/archive-rules.mjs'
import { packageFolder } from '../../build/lib/bundled-packages.ts'
import { importsOf } from '../../build/lib/script-imports.mjs'

const prebuild = (target) => `node_modules/keytar/prebuilds/${target}/keytar.node`
const whole = [...required, prebuild('linux-x64'), 'out/renderer/assets/index-a1.js']

describe('the files of an archive', () => {
  it('an archive with the build, the manifest and one prebuilt keychain module is accepted', () => {
    expect(verifyFiles(whole, 'linux-x64')).toEqual([])
  })

  it.each([
    ['a source file', 'src-main/main.ts'],
    ['a test', 'test/unit/a.test.ts'],
    ['a source map', 'out/main/main.js.map'],
    ['a build script', 'build/start.mjs'],
    ['another package', 'node_modules/react/index.js'],
    ['a module of another platform', prebuild('win32-x64')],
  ])('an archive may not contain %s', (_name, file) => {
    expect(verifyFiles([...whole, file], 'linux-x64')).toEqual([`${file} has no place in it`])
  })

  it('an archive without an entry script or the keychain module of its target is refused', () => {
    const lacking = whole.filter((file) => file !== 'out/main/serve.js')
    expect(verifyFiles(lacking, 'linux-x64')).toEqual(['out/main/serve.js is missing'])
    expect(verifyFiles(whole, 'linux-arm64')).toContain(`${prebuild('linux-arm64')} is missing`)
  })
})

test('the archive and the Linux packages contain the licence that package.json names', () => {
  const licence = readFileSync('LICENSE', 'utf8')
  const [title, , ...terms] = licence.trim().split('\n')
  expect(title).toBe(`${JSON.parse(readFileSync('package.json', 'utf8')).license} License`)
  expect(terms[0]).toMatch(/^Copyright \(c\) \d{4} The Tondesk authors$/)
  expect(required).toContain('LICENSE')
  expect(readFileSync('build/linux/copyright', 'utf8')).toContain(terms.join('\n'))
})

describe('the scripts of an archive', () => {
  const judge = (code) => {
    const files = ['out/main/main.js', 'out/main/writer-thread.js']
    return verifyImports('out/main/main.js', importsOf('main.js', code), files)
  }

  it('the scripts of an archive may import Electron, Node modules, the keychain and each other', () => {
    const code = `
      import { app } from 'electron'
      import keytar from 'keytar'
      import fs, { readFile } from 'node:fs'
      const url = new URL('./writer-thread.js', import.meta.url)
      const net = await import('net')`
    expect(judge(code)).toEqual([])
  })

  it.each([
    ["import { z } from 'zod'", 'zod'],
    ["export { z } from 'zod'", 'zod'],
    ["await import('hono')", 'hono'],
    ["__require('bufferutil')", 'bufferutil'],
    ["new URL('./gone.js', import.meta.url)", './gone.js'],
    ["import './elsewhere.js'", './elsewhere.js'],
  ])('a script with an import that the archive cannot resolve is refused: %s', (code, name) => {
    expect(judge(code)).toEqual([`out/main/main.js imports ${name}, which is not in it`])
  })

  it('a script with a path of the build machine, a source map or a private key is refused', () => {
    const folders = ['/home/someone/tondesk']
    expect(verifyText('a.js', 'const a = 1', folders)).toEqual([])
    expect(verifyText('a.js', 'at /home/someone/tondesk/x', folders)).toHaveLength(1)
    expect(verifyText('a.js', '//# sourceMappingURL=a.js.map', folders)).toHaveLength(1)
    expect(verifyText('a.js', '-----BEGIN RSA PRIVATE KEY-----', folders)).toHaveLength(1)
  })
})

describe('the packages of an archive', () => {
  const licence = (name, change = {}) => ({ name, licence: 'MIT', texts: [0], ...change })
  const names = ['electron', '@github/keytar', 'undici', 'react']
  const judge = (more) => {
    const packages = [...names.map((name) => licence(name)), ...more]
    const components = packages.map(({ name }) => ({ purl: name }))
    return verifyBill({ components }, { packages, texts: ['Permission is hereby granted'] })
  }

  it('a package with a permissive licence and its text is accepted', () => {
    expect(judge([licence('a', { licence: '(MIT OR GPL-3.0)' })])).toEqual([])
  })

  it.each([
    ['a copyleft licence', { licence: 'AGPL-3.0' }, 'a has the licence AGPL-3.0'],
    [
      'a copyleft licence beside a permissive one',
      { licence: 'MIT AND GPL-2.0' },
      'a has the licence MIT AND GPL-2.0',
    ],
    ['no text', { texts: [] }, 'a has no licence text'],
  ])('a package with %s is refused', (_name, change, problem) => {
    expect(judge([licence('a', change)])).toEqual([problem])
  })

  it('an archive whose bill of materials lacks a package is refused', () => {
    const texts = ['text']
    expect(verifyBill({ components: [] }, { packages: [licence('react')], texts })).toEqual([
      'the bill and the licences list other packages',
      'the bill lacks electron',
      'the bill lacks @github/keytar',
      'the bill lacks undici',
    ])
  })

  it.each([
    ['/clone/src-main/main.ts', null],
    ['/clone/node_modules/undici/index.js', 'node_modules/undici'],
    ['C:\\clone\\node_modules\\@ton\\core\\dist\\a.js', 'node_modules/@ton/core'],
    ['\0/clone/node_modules/pako/lib/a.js?commonjs-proxy', 'node_modules/pako'],
    ['/clone/node_modules/a/node_modules/@b/c/d.js', 'node_modules/a/node_modules/@b/c'],
  ])('the module %s belongs to the package %s', (id, folder) => {
    expect(packageFolder(id)).toBe(folder)
  })

  it('an archive above the size limit is refused', () => {
    expect(verifySize(20 * 1024 * 1024)).toEqual([])
    expect(verifySize(400 * 1024 * 1024)).toHaveLength(1)
  })
})
