import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileContracts } from '../../../build/compile-contracts.mjs'

test('the committed contract code equals the compiled sources', async () => {
  const committed = readFileSync(
    new URL('../../../src-main/sandbox/contracts/code.ts', import.meta.url),
    'utf8',
  )
  expect(await compileContracts()).toBe(committed)
})
