/** The scripts that the window loads before the Inspector shows its first row, in the build's output. */
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'

const assets = resolve('out/renderer/assets')
const names = readdirSync(assets)
const sizeOf = (name: string) => gzipSync(readFileSync(join(assets, name)), { level: 9 }).length
const sum = (sizes: readonly number[]) => sizes.reduce((total, each) => total + each, 0)

/** A script with those that it imports at once. */
function scriptsOf(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  const text = readFileSync(join(assets, name), 'utf8')
  for (const [, imported = ''] of text.matchAll(/(?:import|from)\s*["']\.\/([^"']+\.js)["']/g)) {
    scriptsOf(imported, found)
  }
  return found
}

test('scripts before the first row of the Inspector are at most 250 kB compressed, 290 kB with the typeface', () => {
  const html = readFileSync(resolve('out/renderer/index.html'), 'utf8')
  const found = new Set<string>()
  for (const [, name = ''] of html.matchAll(/assets\/([^"']+\.js)/g)) scriptsOf(name, found)
  const page = names.find((name) => /^captures-page-.*\.js$/.test(name))
  scriptsOf(page ?? '', found)
  const scripts = sum([...found].map(sizeOf))
  expect(found.size).toBeGreaterThan(3)
  expect(scripts).toBeLessThanOrEqual(250_000)
  const fonts = names.filter((name) => name.endsWith('.woff2'))
  expect(fonts).toHaveLength(2)
  expect(scripts + sum(fonts.map(sizeOf))).toBeLessThanOrEqual(290_000)
})
