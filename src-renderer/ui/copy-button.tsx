import { useEffect, useRef, useState } from 'react'
import { type ButtonKind, Button } from './button.tsx'
import { announce } from './live-region.tsx'
import { showToast } from './toast.tsx'
import styles from './text.module.css'

/** Puts a text on the clipboard and says so. Resolves to false when the browser refused. */
export async function copyText(text: string, what = 'Text'): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    announce(`${what} copied`)
    return true
  } catch {
    showToast({
      title: 'Could not copy',
      detail: 'The clipboard refused it. Select the text and copy it by hand.',
      tone: 'bad',
    })
    return false
  }
}

/** `text` may be fetched on the click, for what is not to stand in the page. */
export function CopyButton({
  text,
  what,
  label = 'Copy',
  iconOnly = false,
  kind = 'plain',
}: {
  text: string | (() => Promise<string>)
  /** The thing copied: "Receiver URL". */
  what: string
  label?: string
  iconOnly?: boolean
  kind?: ButtonKind
}) {
  const [copied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  const copy = async () => {
    let value: string
    try {
      value = typeof text === 'string' ? text : await text()
    } catch (error) {
      showToast({ title: 'Could not copy', detail: messageOf(error), tone: 'bad' })
      return
    }
    if (!(await copyText(value, what))) return
    setCopied(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setCopied(false), 1500)
  }

  const thing = `${what.charAt(0).toLowerCase()}${what.slice(1)}`
  const name = `Copy ${thing}`
  return (
    <Button
      kind={kind}
      onClick={() => void copy()}
      title={name}
      {...(iconOnly && { icon: copied ? 'check' : 'copy', 'aria-label': name })}
    >
      {iconOnly ? undefined : (
        // The name begins with the word one sees, for those who speak to their computer.
        <>
          {copied ? 'Copied' : label}
          <span className={styles['hidden']}>
            {label === 'Copy' ? ' ' : ': '}
            {thing}
          </span>
        </>
      )}
    </Button>
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'It could not be fetched.'
}
