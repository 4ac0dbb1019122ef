import { z } from 'zod'
import { returns, takes } from './route.ts'

/** The picture at the top of PDF reports. */
const reportLogo = z.object({
  type: z.enum(['image/png', 'image/jpeg']),
  width: z.int().positive(),
  height: z.int().positive(),
  base64: z.string(),
})

export const reportRoutes = {
  /** Null without a logo. */
  'report.logo': returns(reportLogo.nullable()),
  /** A PNG or JPEG file of at most 512 KiB, which replaces the previous logo. */
  'report.setLogo': takes({
    base64: z.base64().max(700_000, 'The file is larger than 512 KiB.'),
  }).returns(reportLogo),
  /** Writes the report of the schedule's last period into its folder; returns the path of the file. */
  'report.saveNow': returns({ file: z.string() }),
  /** Shows the system's dialog for a folder; null if the user cancels. Only the desktop app has this dialog. */
  'report.chooseFolder': returns({ folder: z.string().nullable() }),
  'report.removeLogo': returns({}),
} as const
