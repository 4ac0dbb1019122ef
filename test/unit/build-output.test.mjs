import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { entries, isBuilt, sourceKey } from '../../build/lib/output.mjs'

let folder
const write = (path, text) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tondesk-output-'))
  write('src-main/serve.ts', 'one')
  write('package.json', '{}')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the source key', () => {
  it.each([
    ['a changed file', () => write('src-main/serve.ts', 'two')],
    ['a new file', () => write('src-renderer/app.tsx', 'one')],
    ['a changed configuration', () => write('package.json', '{"version":"2"}')],
    [
      'a renamed file',
      () => {
        rmSync(join(folder, 'src-main/serve.ts'))
        write('src-main/server.ts', 'one')
      },
    ],
  ])('the source key changes with %s', (_name, change) => {
    const before = sourceKey(folder)
    change()
    expect(sourceKey(folder)).not.toBe(before)
  })

  it('the source key ignores modification times and files that are not built', () => {
    const before = sourceKey(folder)
    utimesSync(join(folder, 'src-main/serve.ts'), 1, 1)
    write('test/unit/a.test.ts', 'test')
    expect(sourceKey(folder)).toBe(before)
  })
})

describe('a build', () => {
  const build = () => {
    for (const entry of entries) write(join('out', entry), '')
    write('out/.stamp', sourceKey(folder))
  }

  it('a build is up to date until a source changes', () => {
    build()
    expect(isBuilt(folder, sourceKey(folder))).toBe(true)
    write('src-main/serve.ts', 'two')
    expect(isBuilt(folder, sourceKey(folder))).toBe(false)
  })

  it('a build without its stamp or with a missing file is not up to date', () => {
    build()
    rmSync(join(folder, 'out/main/serve.js'))
    expect(isBuilt(folder, sourceKey(folder))).toBe(false)
    build()
    rmSync(join(folder, 'out/.stamp'))
    expect(isBuilt(folder, sourceKey(folder))).toBe(false)
  })
})
