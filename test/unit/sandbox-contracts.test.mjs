import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileContracts } from '../../build/compile-contracts.mjs'

test('the code that is committed is what the sources beside it say', async () => {
  const committed = readFileSync(
    new URL('../../src-main/sandbox/contracts/code.ts', import.meta.url),
    'utf8',
  )
  expect(await compileContracts()).toBe(committed)
})
