import { AppError, bridgeCodes } from '../../src-preload/domain/app-error.ts'
import { appCodes } from '../../src-preload/domain/error-codes.ts'
import { exportCaptures } from './captures-export.ts'
import { search, show } from './captures-list.ts'
import { capturesOptions, readCaptures } from './captures-options.ts'
import { replay } from './captures-replay.ts'
import type { Command } from './command.ts'
import { openSession } from './session.ts'

export const captures: Command = {
  name: 'captures',
  arguments: 'ACTION [QUERY|ID…]',
  maxArguments: 10_001,
  summary: 'search, show, replay and export what was captured',
  options: capturesOptions,
  detail: [
    'An ACTION is one of\n  search QUERY   what the query finds, newest first\n  show ID        one, with headers, body and what it is about\n  replay ID…     sends them again, to --to URL; or with --query all that it finds\n  export ID…     to a file of --format; or with --query all that it finds',
    'A QUERY is one of the search bar: terms such as event:account_tx account:EQ… lt:>4690000\nstatus:500 body:"order-42" header.user-agent:*tonapi* token:wrong amount:>1.5TON received:today, and\nfree words; all must hold, - before one turns it round. One that begins with - goes after --.',
    'Tokens are masked unless --reveal is given for this one act. --pseudonyms puts made-up values, the\nsame for the same, in the place of addresses, hashes, tokens and amounts. HAR and JSON Lines come\nback by `tondesk import`.',
    'replay goes on when the app is open. Without one it ends with the command, which Ctrl-C cancels.',
  ],
  exits: { 3: 'replay: done, but not every answer was 2xx' },
  async run(invocation) {
    const asked = readCaptures(invocation)
    const { dataDirectory } = invocation
    const session = await openSession({ dataDirectory, receive: false }).catch((error: unknown) => {
      // Their usual exit code has another meaning here.
      const codes: readonly string[] = [appCodes.dataDirectoryHeld, bridgeCodes.disconnected]
      const isHeld = error instanceof AppError && codes.includes(error.code)
      throw isHeld ? new AppError('APP_HELD', error.message) : error
    })
    try {
      switch (asked.action) {
        case 'search':
          return await search(session, asked, invocation)
        case 'show':
          return await show(session, asked, invocation)
        case 'replay':
          return await replay(session, asked, invocation)
        case 'export':
          return await exportCaptures(session, asked, invocation)
      }
    } catch (error) {
      const isLost = error instanceof AppError && error.code === bridgeCodes.disconnected
      throw isLost ? new AppError('APP_ENDED', 'Tondesk has ended. Run it again.') : error
    } finally {
      await session.dispose()
    }
  },
}
