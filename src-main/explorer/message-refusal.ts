import { AppError } from '../../src-preload/domain/app-error.ts'
import { gatewayCodes } from '../../src-preload/domain/error-codes.ts'
import { computeWords } from './exit-words.ts'

/** What wallets of the versions 3 to 5 mean by the codes they refuse an order with. */
const walletRefusals: ReadonlyMap<number, string> = new Map([
  [33, 'its sequence number is not the next one: it was sent already, or another order before it'],
  [34, 'it is signed for another wallet of the same key'],
  [35, 'its signature is wrong, or it has run out'],
  [36, 'it has run out'],
  [132, 'the wallet takes no signed orders any more'],
  [133, 'its sequence number is not the next one: it was sent already, or another order before it'],
  [134, 'it is signed for another wallet of the same key'],
  [135, 'its signature is wrong'],
  [136, 'it has run out'],
])

const exitCode = /exit[ _]?code[ :=]*(-?\d+)/i

/** An answer to a message that was not taken, in words with a way out; any other error as it is. */
export function explainRefusal(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  if (error.code === gatewayCodes.notAccepted) return notAccepted(error)
  if (error.message.includes('duplicate message')) {
    return new AppError(
      error.code,
      'This very message was sent less than a minute ago and is not taken twice. Follow that one.',
      { data: error.data, cause: error },
    )
  }
  return error
}

function notAccepted(error: AppError): AppError {
  const found = exitCode.exec(error.message)?.[1]
  const code = found === undefined ? null : Number(found)
  const why = code === null ? null : (walletRefusals.get(code) ?? computeWords(code, null))
  const told = code === null ? '' : ` (exit code ${code}${why === null ? '' : `: ${why}`})`
  return new AppError(
    error.code,
    `The contract does not take this message${told}, so nothing would come of it. ` +
      'Where a wallet has signed it, have it sign a new one.',
    { data: error.data, cause: error },
  )
}
