import { z } from 'zod'
import { filePurposes } from '../domain/opened-files.ts'
import { returns, takes } from './route.ts'

/** A file that the system or the user opened with the app. The window reads it in pieces. */
const openedFile = z.object({ id: z.string(), name: z.string(), bytes: z.int() })
export type OpenedFile = z.infer<typeof openedFile>

const exported = { id: z.string().max(100) }
const purpose = z.enum(filePurposes)

/** `file.choose`, `export.save` and `export.drag` work only in the desktop app. */
export const fileRoutes = {
  /**
   * Returns the files from the system since the last call, each only once, and the errors of files
   * that could not be opened.
   */
  'file.takeOpened': returns({
    files: z.array(openedFile),
    problems: z.array(z.object({ title: z.string(), detail: z.string() })),
  }),
  'file.read': takes({
    id: z.string().max(100),
    offset: z.int().nonnegative(),
    bytes: z.int().positive().max(1_048_576),
  }).returns({ base64: z.string() }),
  /** Shows the system's dialog for a file; null when the user cancels it. */
  'file.choose': takes({
    purpose,
    /** Extensions begin with a dot. */
    extensions: z.array(z.string().regex(/^\.\w{1,10}$/)).max(20),
  }).returns({ file: openedFile.nullable() }),
  /** Shows the system's dialog and saves a copy of an exported file; null if the user cancels. */
  'export.save': takes({ ...exported, purpose }).returns({ name: z.string().nullable() }),
  /** Starts dragging an exported file out of the window. */
  'export.drag': takes(exported).returns({}),
} as const
