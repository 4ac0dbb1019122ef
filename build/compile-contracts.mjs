import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runTolkCompiler } from '@ton/tolk-js'

// `node build/compile-contracts.mjs`: compiles the sandbox's contracts from their sources into code.ts.
// A unit test compiles them again and compares, so the committed code always fits the sources.

const folder = join(import.meta.dirname, '..', 'src-main', 'sandbox', 'contracts')

/** The source of each contract, by the name of its constant. */
const contracts = {
  jettonMinter: 'jetton-minter',
  jettonWallet: 'jetton-wallet',
  opcodeResponder: 'opcode-responder',
  depositAccount: 'deposit-account',
}

async function compile(name) {
  const result = await runTolkCompiler({
    entrypointFileName: `${name}.tolk`,
    fsReadCallback: (path) => readFileSync(join(folder, path), 'utf8'),
  })
  if (result.status === 'error') throw new Error(result.message)
  return Buffer.from(result.codeBoc64, 'base64').toString('hex')
}

/** Returns the text of code.ts. */
export async function compileContracts() {
  const lines = []
  for (const [constant, name] of Object.entries(contracts)) {
    lines.push(`export const ${constant} =\n  '${await compile(name)}'`)
  }
  return `// Written by build/compile-contracts.mjs from the sources in this folder: BOCs in hex.\n\n${lines.join('\n\n')}\n`
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(folder, 'code.ts'), await compileContracts())
}
