/**
 * Tests that the system's language changes no text and no order: each format in the sources names
 * its language.
 */
import { expect, test } from 'vitest'
import { readSources } from '../../fixtures/inventory.ts'

const sources = ['src-main/**/*.ts', 'src-preload/**/*.ts', 'src-renderer/**/*.{ts,tsx}']

/** Calls whose result depends on a language; the system's time zone has no effect on them. */
const unnamed =
  /(?:(?:toLocale\w+|Intl\.\w+Format)\((?!\s*'(?:en|sv)[-'])|localeCompare\((?![^),]+, 'en'))(?!\)\.resolvedOptions\(\)\.timeZone)[^)]*/g

// A Swiss system would write `1'234` and an Egyptian one `١٢٣` in texts that scripts parse, and a
// Turkish system would lowercase the i of a header differently.
test('every format that depends on a language names its language', () => {
  const found = sources
    .flatMap((pattern) => [...readSources(pattern)])
    .flatMap(([file, text]) => [...text.matchAll(unnamed)].map(([call]) => `${file}: ${call}`))
  expect(found).toEqual([])
})
