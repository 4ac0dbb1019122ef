import { describe, expect, it } from 'vitest'
import { judgeFiles, judgeImports, judgeText, required } from '../../build/lib/archive-rules.mjs'
import { importsOf } from '../../build/lib/script-imports.mjs'

const prebuild = (target) => `node_modules/keytar/prebuilds/${target}/keytar.node`
const whole = [...required, prebuild('linux-x64'), 'out/renderer/assets/index-a1.js']

describe('the files of an archive', () => {
  it('are the build, the manifest and one prebuilt keychain module', () => {
    expect(judgeFiles(whole, 'linux-x64')).toEqual([])
  })

  it.each([
    ['a source', 'src-main/main.ts'],
    ['a test', 'test/unit/a.test.ts'],
    ['a map', 'out/main/main.js.map'],
    ['a build script', 'build/start.mjs'],
    ['another package', 'node_modules/react/index.js'],
    ['another platform’s module', prebuild('win32-x64')],
  ])('may not hold %s', (_name, file) => {
    expect(judgeFiles([...whole, file], 'linux-x64')).toEqual([`${file} has no place in it`])
  })

  it('may not lack an entry or the target’s module', () => {
    const lacking = whole.filter((file) => file !== 'out/main/serve.js')
    expect(judgeFiles(lacking, 'linux-x64')).toEqual(['out/main/serve.js is missing'])
    expect(judgeFiles(whole, 'linux-arm64')).toContain(`${prebuild('linux-arm64')} is missing`)
  })
})

describe('the scripts of an archive', () => {
  const judge = (code) => {
    const files = ['out/main/main.js', 'out/main/writer-thread.js']
    return judgeImports('out/main/main.js', importsOf('main.js', code), files)
  }

  it('may name the platform, the keychain and one another', () => {
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
  ])('%s would not resolve', (code, name) => {
    expect(judge(code)).toEqual([`out/main/main.js imports ${name}, which is not in it`])
  })

  it('tell nothing of this computer, no secret and no map', () => {
    const folders = ['/home/someone/tondesk']
    expect(judgeText('a.js', 'const a = 1', folders)).toEqual([])
    expect(judgeText('a.js', 'at /home/someone/tondesk/x', folders)).toHaveLength(1)
    expect(judgeText('a.js', '//# sourceMappingURL=a.js.map', folders)).toHaveLength(1)
    expect(judgeText('a.js', '-----BEGIN RSA PRIVATE KEY-----', folders)).toHaveLength(1)
  })
})
