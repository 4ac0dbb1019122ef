/** The language of the system changes no text and no order: each format in the sources names its language. */
import { expect, test } from 'vitest'
import { readSources } from '../fixtures/inventory.ts'

const sources = ['src-main/**/*.ts', 'src-preload/**/*.ts', 'src-renderer/**/*.{ts,tsx}']

/** Calls whose result depends on a language; the time zone of the system does not. */
const unnamed =
  /(?:(?:toLocale\w+|Intl\.\w+Format)\((?!\s*'(?:en|sv)[-'])|localeCompare\((?![^),]+, 'en'))(?!\)\.resolvedOptions\(\)\.timeZone)[^)]*/g

// Catches `1'234` for a Swiss and `١٢٣` for an Egyptian system in texts that scripts read, and the Turkish i without
// a dot, with which a header has another name.
test('what depends on a language names it', () => {
  const found = sources
    .flatMap((pattern) => [...readSources(pattern)])
    .flatMap(([file, text]) => [...text.matchAll(unnamed)].map(([call]) => `${file}: ${call}`))
  expect(found).toEqual([])
})
