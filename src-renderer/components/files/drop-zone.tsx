import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import type { InputFile } from '../../app/input-file.ts'
import { chooseFile, hasSystemDialogs, reportOnlyFirst } from '../../app/opened-files.ts'
import type { FilePurpose } from '../../../src-preload/domain/opened-files.ts'
import styles from './drop-zone.module.css'

/**
 * An area in which a file can be dropped; dropped text goes to the field under the pointer. A file
 * dropped outside all areas is opened by its extension.
 */
export function DropZone({
  hint,
  fill = false,
  onFile,
  children,
}: {
  /** The text while a file is dragged over the area: “Drop the file to read its addresses”. */
  hint: string
  /** True to fill the height of the surrounding area. */
  fill?: boolean
  onFile: (file: InputFile) => void
  children: ReactNode
}) {
  const [isOver, setOver] = useState(false)
  /** Entering a child also leaves its parent, so only the difference counts. */
  const depth = useRef(0)
  const holdsFile = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes('Files')

  const enter = (event: DragEvent) => {
    if (!holdsFile(event)) return
    depth.current += 1
    setOver(true)
  }
  const leave = (event: DragEvent) => {
    if (!holdsFile(event)) return
    depth.current -= 1
    if (depth.current <= 0) setOver(false)
  }
  const drop = (event: DragEvent) => {
    if (!holdsFile(event)) return
    event.preventDefault()
    depth.current = 0
    setOver(false)
    const [file, ...others] = event.dataTransfer.files
    if (file === undefined) return
    if (others.length > 0) reportOnlyFirst(file.name)
    onFile({ name: file.name, blob: file })
  }

  return (
    <div
      className={classes(styles['zone'], fill && styles['fill'])}
      onDragEnter={enter}
      onDragLeave={leave}
      onDragOver={(event) => holdsFile(event) && event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {isOver && <div className={styles['over']}>{hint}</div>}
    </div>
  )
}

export function OpenFileButton({
  label,
  purpose,
  accept,
  onFile,
}: {
  label: string
  /** The system's dialog opens in the folder of the last file for this purpose. */
  purpose: FilePurpose
  /** File extensions to choose from, such as “.txt,.csv”. */
  accept: string
  onFile: (file: InputFile) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  const choose = async () => {
    const file = await chooseFile(purpose, accept.split(','))
    if (file !== undefined) onFile(file)
  }
  const open = () => {
    if (hasSystemDialogs()) void choose()
    else input.current?.click()
  }
  return (
    <>
      <Button onClick={open}>{label}</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // The value is reset, so that the same file can be chosen again.
          currentTarget.value = ''
          if (file !== undefined) onFile({ name: file.name, blob: file })
        }}
      />
    </>
  )
}
