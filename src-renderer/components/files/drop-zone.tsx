import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { showToast } from '../../ui/toast.tsx'
import styles from './drop-zone.module.css'

/** A place where a file can be dropped; text that is dropped goes where it would have gone. */
export function DropZone({
  hint,
  className,
  fill = false,
  onFile,
  children,
}: {
  /** Said while a file is held over it: "Drop it to read its addresses". */
  hint: string
  className?: string | undefined
  /** As high as the area around it. */
  fill?: boolean
  onFile: (file: File) => void
  children: ReactNode
}) {
  const [isOver, setOver] = useState(false)
  /** Entering a child leaves its parent: only the balance tells. */
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
    if (others.length > 0) {
      showToast({
        title: `“${file.name}” is read`,
        detail: 'One file at a time: the others were left out.',
      })
    }
    onFile(file)
  }

  return (
    <div
      className={classes(styles['zone'], fill && styles['fill'], className)}
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
  accept,
  onFile,
}: {
  label: string
  /** Endings offered first: ".txt,.csv". */
  accept: string
  onFile: (file: File) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button onClick={() => input.current?.click()}>{label}</Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // The same file again is a choice as well.
          currentTarget.value = ''
          if (file !== undefined) onFile(file)
        }}
      />
    </>
  )
}
