import { AppError } from '../../src-preload/domain/app-error.ts'
import { targetCodes } from '../../src-preload/domain/error-codes.ts'
import { type Invocation, usageError } from './command.ts'
import type { Session } from './session.ts'

/**
 * Hosts that are not this computer are sent to once a person has said yes to them.
 * @throws AppError TARGET_REFUSED, NOT_CONFIRMED; USAGE where nobody can be asked
 */
export async function confirmTargets(
  session: Session,
  urls: readonly string[],
  yes: boolean,
  { terminal }: Pick<Invocation, 'terminal'>,
): Promise<void> {
  for (const url of urls) {
    const { kind, host, isConfirmed, problem } = await session.call('target.check', { url })
    if (kind === 'refused') {
      throw new AppError(targetCodes.refused, `${url}: ${problem ?? 'it is refused.'}`)
    }
    if (kind === 'loopback' || isConfirmed) continue
    if (!yes) {
      const answer = await terminal.ask(`Send deliveries, with their tokens, to ${host}?`)
      if (answer === null) {
        throw usageError(`${host} is not this computer, and nobody can be asked here: add --yes.`)
      }
      if (!answer) throw new AppError('NOT_CONFIRMED', 'Nothing was done.')
    }
    await session.call('target.confirm', { host })
  }
}
