import { join } from 'node:path'
import ts from 'typescript'
import { root } from './runtime.mjs'

const entry = join(root, 'src-main/sandbox/start-sandbox.ts')
const contract = join(root, 'src-preload/contract/sandbox-control.ts')
const flags =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType

/** The declarations of the package in one file: the types of zod schemas and imported ones are written out. */
export function sandboxTypes() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.node.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram([entry], {
    ...options,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    removeComments: false,
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(entry)
  const aliasOf = (file, name) =>
    program
      .getSourceFile(file)
      .statements.find((each) => ts.isTypeAliasDeclaration(each) && each.name.text === name)
  // An empty object of zod would refuse the fields of the path.
  const print = (type) =>
    checker.typeToString(type, source, flags).replaceAll('{ [x: string]: never; }', '{}')

  // Input and output of each operation, from the types of the table.
  const table = program
    .getSourceFile(contract)
    .statements.filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .find(({ name }) => name.getText() === 'controlOperations')
  const internal = (schema, field) => {
    const zod = checker.getTypeOfPropertyOfType(checker.getTypeOfSymbol(schema), '_zod')
    return checker.getTypeOfPropertyOfType(zod, field)
  }
  const operations = checker.getPropertiesOfType(checker.getTypeAtLocation(table)).map((each) => {
    const operation = checker.getTypeOfSymbol(each)
    const [input, output, route] = ['input', 'output', 'route'].map((field) =>
      checker.getPropertyOfType(operation, field),
    )
    const path = print(checker.getTypeOfSymbol(route))
    const fields = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `${name}: string | number`)
    const own = fields.length > 0 ? `{ ${fields.join('; ')} } & ` : ''
    return `  ${each.name}: {
    input: ${own}${print(internal(input, 'input'))}
    output: ${print(internal(output, 'output'))}
  }`
  })
  const ready = aliasOf(join(root, 'src-main/sandbox/sandbox.ts'), 'ReadyLine')
  const codes = aliasOf(join(root, 'src-main/sandbox/errors.ts'), 'SandboxCode')

  let declarations = ''
  program.emit(source, (_name, text) => (declarations += text), undefined, true)
  const body = declarations
    .replaceAll(/^import [^;]*;\n/gm, '')
    .replaceAll(
      /^(type FailedLine|export \{ SandboxError \}|export \{\}).*(\n(?: .*|\};))*\n/gm,
      '',
    )
  return `/// <reference lib="esnext.disposable" />
type ReadyLine = ${print(checker.getTypeAtLocation(ready))}

export interface ControlOperations {
${operations.join('\n')}
}
export type ControlOperation = keyof ControlOperations
export type ControlInput<N extends ControlOperation> = ControlOperations[N]['input']
export type ControlOutput<N extends ControlOperation> = ControlOperations[N]['output']

/** The sandbox did not start; the message says why. */
export declare class SandboxError extends Error {
  readonly code: ${print(checker.getTypeAtLocation(codes))}
}
${body}`
}
