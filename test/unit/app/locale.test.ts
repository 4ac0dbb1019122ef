/** The language of the system changes no text and no order: each format in the sources names its language. */
import { expect, test } from 'vitest'
import { readSources } from '../../fixtures/inventory.ts'

const sources = ['src-main/**/*.ts', 'src-preload/**/*.ts', 'src-renderer/**/*.{ts,tsx}']

/** Calls whose result depends on a language; the time zone of the system does not. */
const unnamed =
  /(?:(?:toLocale\w+|Intl\.\w+Format)\((?!\s*'(?:en|sv)[-'])|localeCompare\((?![^),]+, 'en'))(?!\)\.resolvedOptions\(\)\.timeZone)[^)]*/g

// Otherwise a Swiss system writes `1'234` and an Egyptian one `١٢٣` in texts that scripts parse, and a Turkish
// system gives a header with an i another name.
test('every format that depends on a language names its language', () => {
  const found = sources
    .flatMap((pattern) => [...readSources(pattern)])
    .flatMap(([file, text]) => [...text.matchAll(unnamed)].map(([call]) => `${file}: ${call}`))
  expect(found).toEqual([])
})
