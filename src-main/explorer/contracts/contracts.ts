import { CellType, type Cell } from '@ton/core'
import type { ContractView } from '../../../src-preload/contract/contract.ts'
import type { Handlers } from '../../../src-preload/contract/routes.ts'
import { AppError, messageOf } from '../../../src-preload/domain/app-error.ts'
import { readableRows } from '../../gateway/query-responses.ts'
import type { QueryOptions, QueryClient } from '../../gateway/query.ts'
import { formatCell, readBoc } from '../../ton/boc.ts'
import { requireAddress } from '../../chain/addresses.ts'
import { type ExplorerContext, explainNotFound } from '../../chain/access.ts'
import type { Dictionaries } from './dictionaries.ts'
import { showJson } from '../../chain/decoded-fields.ts'
import { describeExitOf } from '../../chain/failure.ts'
import { flattenStack, toArgument } from '../../chain/method-stack.ts'

type ContractHandlers = Pick<Handlers, Extract<keyof Handlers, `contract.${string}`>>

/** A longer text would slow down the window; the downloaded source file has the rest. */
const maxText = 500_000

export function createContracts(
  context: ExplorerContext,
  dictionaries: Dictionaries,
): ContractHandlers {
  const { access, now } = context
  return {
    async 'contract.get'({ network, address: text }) {
      const address = requireAddress(text, true)
      const query = access.query(network)
      const queryOptions = { signal: access.interest(network) }
      const inspected = inspect(query, address, queryOptions)
      try {
        const [account, inspection] = await Promise.all([
          query.rawAccount(address, queryOptions),
          inspected,
        ])
        const code = readBoc(account.code)
        const { storage } = account
        if (code !== null) dictionaries.noteCode(network, address, code.hash().toString('hex'))
        return {
          network,
          address,
          status: account.status,
          code: code && showCell(code),
          data: showBoc(account.data),
          libraryCode: code && (await readLibrary(query, code, queryOptions)),
          libraries: readableRows(account.libraries).flatMap(({ public: isPublic, root: boc }) => {
            const root = showBoc(boc)
            return root === null ? [] : [{ isPublic, root }]
          }),
          frozenHash: account.frozen_hash ?? null,
          lastTransaction:
            account.last_transaction_lt === '0'
              ? null
              : { lt: account.last_transaction_lt, hash: account.last_transaction_hash ?? null },
          storage: storage
            ? {
                usedCells: storage.used_cells,
                usedBits: storage.used_bits,
                usedPublicCells: storage.used_public_cells,
                lastPaid: storage.last_paid ? storage.last_paid * 1000 : null,
                due: storage.due_payment,
              }
            : null,
          ...inspection,
          fetchedAt: now(),
        }
      } catch (error) {
        throw explainNotFound(context, network, error)
      }
    },
    async 'contract.run'({ network, address: text, method, args }) {
      const address = requireAddress(text, true)
      const given = args.map((argument, index) => toArgument(argument, index + 1))
      const signal = access.interest(network)
      try {
        const response = await access.query(network).runMethod(address, method, given, { signal })
        const { success, exit_code: exitCode, stack, decoded } = response
        return {
          network,
          method,
          at: now(),
          success,
          exitCode,
          exitWords: success
            ? null
            : (dictionaries.describeExit(network, address, exitCode) ??
              describeMethodExit(exitCode)),
          ...flattenStack(stack, dictionaries.namesOfResult(network, address, method)),
          decoded: showJson(decoded),
        }
      } catch (error) {
        throw explainNotFound(context, network, error)
      }
    },
  }
}

const noSuchMethod = 11

/** FunC, Tact and Tolk throw exit code 11 for a method that the contract does not have. */
function describeMethodExit(code: number): string | null {
  if (code === noSuchMethod) return 'the contract has no get method of this name'
  return describeExitOf(code, null)
}

type Inspection = Pick<ContractView, 'inspection' | 'inspectionProblem'>

/** Some gateways do not inspect code, and the rest of the page does not depend on it. */
async function inspect(
  query: QueryClient,
  address: string,
  queryOptions: QueryOptions,
): Promise<Inspection> {
  try {
    const { compiler, disassembled_code, methods, source } = await query.inspect(
      address,
      queryOptions,
    )
    const files = readableRows(source?.files ?? [])
    return {
      inspection: {
        compiler: compiler ?? null,
        methods: readableRows(methods).map(({ id, method }) => ({ id, name: method })),
        disassembly: disassembled_code ? disassembled_code.slice(0, maxText) : null,
        source: files.map(({ name, content, is_entrypoint: isEntry }) => ({
          name,
          content: content.slice(0, maxText),
          isEntry,
        })),
      },
      inspectionProblem: null,
    }
  } catch (error) {
    queryOptions.signal?.throwIfAborted()
    return { inspection: null, inspectionProblem: messageOf(error) }
  }
}

const libraryHashBits = 8 + 256

/** Loads the code of an account that stores only the hash of a masterchain library. */
async function readLibrary(query: QueryClient, code: Cell, queryOptions: QueryOptions) {
  if (code.type !== CellType.Library || code.bits.length !== libraryHashBits) return null
  const hash = code.beginParse(true).skip(8).loadBuffer(32).toString('hex')
  const library = await query.library(hash, queryOptions).catch((error: unknown) => {
    queryOptions.signal?.throwIfAborted()
    if (error instanceof AppError) return null
    throw error
  })
  const cell = showBoc(library)
  // A cell with another hash is not the code that the account runs.
  return cell?.hash === hash ? cell : null
}

function showBoc(text: string | null | undefined) {
  const cell = readBoc(text)
  return cell && showCell(cell)
}

const showCell = (cell: Cell) => ({ boc: formatCell(cell), hash: cell.hash().toString('hex') })
