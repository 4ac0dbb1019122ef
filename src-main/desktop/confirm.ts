/** Confirmation dialogs of the main process, which a script in the window cannot confirm. */
import { dialog } from 'electron'

let isAsking = false

/**
 * @returns false if the user cancels or if another dialog is open, because a page must not open
 * many dialogs
 */
export async function confirmByDialog({
  message,
  detail,
  action,
}: {
  readonly message: string
  readonly detail: string
  readonly action: string
}): Promise<boolean> {
  if (isAsking) return false
  isAsking = true
  try {
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message,
      detail,
      buttons: ['Cancel', action],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    })
    return response === 1
  } finally {
    isAsking = false
  }
}

/** A longer command line would not fit into the dialog, which could hide the end of the command. */
const maxCommandLength = 1000

/** @returns why alerts must not start the program, as a sentence; null if the user allows it */
export async function confirmProgram(
  program: string,
  args: readonly string[],
): Promise<string | null> {
  const detail = formatCommand(program, args)
  if (detail.length > maxCommandLength) {
    return `The program and its arguments have more than ${maxCommandLength} characters. Write a script that contains them.`
  }
  const message = 'Allow Tondesk to start this program for alerts?'
  const isAllowed = await confirmByDialog({ message, detail, action: 'Allow' })
  return isAllowed ? null : 'You did not allow the program, so nothing was changed.'
}

/** Formats one argument per line and escapes invisible characters. */
export const formatCommand = (program: string, args: readonly string[]): string =>
  [program, ...args]
    .map((part) => (/^\S+$/.test(part) ? part : `"${part}"`))
    .map((part) =>
      part.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (sign) => {
        return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`
      }),
    )
    .join('\n')
