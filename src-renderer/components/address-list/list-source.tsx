import { type ClipboardEvent, useEffect, useRef } from 'react'
import { formatBytes } from '../../ui/format.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import type { GivenFile } from '../files/given-file.ts'
import { Progress } from '../../ui/progress.tsx'
import type { AddressList } from './address-list.ts'
import { mostTyped } from './list-feed.ts'
import styles from './address-list.module.css'

/** Where the list comes from: what is typed, or the file in its place. */
export function ListSource({ list }: { list: AddressList }) {
  const file = list.store((state) => state.file)
  return (
    <div className={styles['source']}>
      {file === null ? <TypedList list={list} /> : <FileCard list={list} file={file} />}
    </div>
  )
}

function TypedList({ list: { store, feed } }: { list: AddressList }) {
  const typed = store((state) => state.typed)
  const area = useRef<HTMLTextAreaElement>(null)
  useEffect(() => area.current?.focus(), [])

  // The browser would first lay out megabytes in the field, which takes it seconds.
  const paste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData('text/plain')
    if (typed.length + pasted.length <= mostTyped) return
    event.preventDefault()
    feed.type(typed === '' ? pasted : `${typed}\n${pasted}`)
  }
  return (
    <TextArea
      ref={area}
      label="Addresses"
      hint="Any form, one a line or as CSV. Each line is checked while you type."
      placeholder={'EQCxE6…\n0:83df…\nor drop a .txt or .csv file here'}
      mono
      spellCheck={false}
      value={typed}
      onChange={(next) => feed.type(next)}
      onPaste={paste}
    />
  )
}

function FileCard({ list: { store, feed }, file }: { list: AddressList; file: GivenFile }) {
  const reading = store((state) => state.reading)
  const isFull = store((state) => state.draft?.isFull ?? false)
  const { size } = file.blob
  return (
    <div className={styles['file']} role="group" aria-label={file.name}>
      <p className={styles['fileName']}>{file.name}</p>
      {reading === null ? (
        <p className={styles['hint']}>
          {formatBytes(size)}
          {isFull && ', read as far as is taken at once'}
        </p>
      ) : (
        <>
          <Progress label={`Reading ${file.name}`} done={reading.done} of={reading.total} />
          <p className={styles['hint']} role="status">
            {formatBytes(reading.done)} of {formatBytes(reading.total)} read
          </p>
        </>
      )}
      <Button onClick={() => feed.closeFile()}>
        {reading === null ? 'Put it away' : 'Stop reading'}
      </Button>
    </div>
  )
}
