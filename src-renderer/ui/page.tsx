import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { classes } from './classes.ts'
import { SearchInput } from './form.tsx'
import { isAwaited, useShortcuts } from './keyboard.ts'
import { Hint, Stack } from './layout.tsx'
import buttons from './button.module.css'
import surface from './surface.module.css'
import styles from './page.module.css'

/** A page: a bar with its name, then its content. */
export function Page({
  title,
  beside,
  actions,
  scroll = true,
  children,
}: {
  title: string
  /** Elements to the right of the name: a search field, chips. */
  beside?: ReactNode
  /** Elements at the end of the bar. */
  actions?: ReactNode
  /** False for a page whose parts scroll themselves. */
  scroll?: boolean
  children: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => takeFocus(heading.current), [])
  return (
    <div className={styles['page']}>
      <div className={styles['bar']}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {beside}
        {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
      </div>
      {/* The element scrolls, so it must be reachable by keyboard. */}
      <div
        className={classes(styles['content'], !scroll && styles['still'])}
        {...(scroll && { tabIndex: 0, role: 'region', 'aria-label': title })}
      >
        {children}
      </div>
    </div>
  )
}

let lastTitle: string | null = null

/**
 * After a navigation the heading of the new page gets the focus, because the keyboard would otherwise continue
 * from the link. A field or a dialog that has the focus keeps it. A newly opened window keeps its focus too,
 * and so does a page that is rendered again because a setting of the display was loaded or changed.
 */
function takeFocus(heading: HTMLElement | null): void {
  const title = heading?.textContent ?? null
  const isNavigation = lastTitle !== null && lastTitle !== title
  lastTitle = title
  const focused = document.activeElement
  const isFree = focused === null || focused === document.body || focused.closest('nav') !== null
  if (isNavigation && (isFree || isAwaited())) heading?.focus({ preventScroll: true })
}

type PageView = {
  readonly href: string
  readonly label: string
  /** `page`: this page is shown. `true`: a part of this view is shown. */
  readonly current: 'page' | 'true' | undefined
}

/** The views of a page, beside its name. */
export function PageViews({ label, views }: { label: string; views: readonly PageView[] }) {
  return (
    <nav className={styles['views']} aria-label={label}>
      {views.map((view) => (
        <a
          key={view.href}
          className={classes(
            surface['hover'],
            buttons['chip'],
            buttons['large'],
            view.current !== undefined && buttons['on'],
          )}
          href={view.href}
          aria-current={view.current}
        >
          {view.label}
        </a>
      ))}
    </nav>
  )
}

/**
 * A long page: a list of its groups that stays visible, beside the sections of each group. The
 * search shows the sections that contain every typed word and marks the words.
 */
export function Contents({
  label,
  groups,
}: {
  label: string
  groups: readonly {
    readonly href: string
    readonly title: string
    readonly isCurrent: boolean
    /** The sections of the group. */
    readonly content: ReactNode
  }[]
}) {
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const found = useFoundSections(body, text)
  const isHidden = (index: number) => found !== null && !found.has(index)
  useShortcuts([
    { keys: ['/'], label: 'Search this page', group: label, run: () => field.current?.select() },
  ])
  return (
    <div className={styles['contents']}>
      <div className={styles['contentsSide']}>
        <SearchInput
          ref={field}
          boxed
          label={`Search ${label.toLowerCase()}`}
          placeholder="Search"
          value={text}
          onType={setText}
          onClear={() => setText('')}
          onEnter={() =>
            body.current?.querySelector(`${sectionsOfGroups}:not([hidden])`)?.scrollIntoView()
          }
        />
        <nav aria-label={label} className={styles['contentsList']}>
          {groups.map(({ href, title, isCurrent }, index) => (
            <a
              key={href}
              href={href}
              hidden={isHidden(index)}
              className={classes(surface['hover'], surface['navLink'], styles['contentsLink'])}
              aria-current={isCurrent ? 'true' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      </div>
      <div ref={body} className={styles['contentsBody']}>
        {groups.map(({ title, content }, index) => (
          <section key={title} aria-label={title} hidden={isHidden(index)}>
            <h2 className={styles['groupTitle']}>{title}</h2>
            <div className={styles['group']}>{content}</div>
          </section>
        ))}
        {found?.size === 0 && (
          <Stack pad="l">
            <Hint role="status">
              Nothing on this page contains “{text.trim()}”. Check the spelling, or search for a
              shorter word.
            </Hint>
          </Stack>
        )}
      </div>
    </div>
  )
}

const sectionsOfGroups = ':scope > section > div > section'

const highlightName = 'found'
/** Browsers before 2025 lack this feature. */
const canHighlight = 'highlights' in CSS

/**
 * Hides sections that lack a word of the search, and marks the words in the others.
 * @returns the indexes of groups with matching sections; null without a search
 */
function useFoundSections(body: RefObject<HTMLElement | null>, text: string) {
  const [found, setFound] = useState<ReadonlySet<number> | null>(null)
  useEffect(() => {
    const words = text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const root = body.current
    if (root === null) return
    const update = () => {
      const sections = [...root.querySelectorAll<HTMLElement>(sectionsOfGroups)]
      const matches = sections.map((section) => {
        const shown = readShownText(section)
        return words.every((word) => shown.includes(word))
      })
      for (const [index, section] of sections.entries()) section.hidden = !(matches[index] ?? true)
      const groups = [...root.children]
      const groupOf = (section: HTMLElement) => groups.findIndex((group) => group.contains(section))
      const found = sections.filter(({ hidden }) => !hidden)
      setFound(words.length === 0 ? null : new Set(found.map(groupOf)))
      if (!canHighlight) return
      const ranges = found.flatMap((section) => words.flatMap((word) => findRanges(section, word)))
      CSS.highlights.set(highlightName, new Highlight(...ranges))
    }
    update()
    if (words.length === 0) return
    root.scrollIntoView({ block: 'start' })
    // The data of a section may arrive or change during the search.
    const observer = new MutationObserver(update)
    observer.observe(root, { childList: true, subtree: true, characterData: true })
    return () => {
      observer.disconnect()
      if (canHighlight) CSS.highlights.delete(highlightName)
    }
  }, [body, text])
  return found
}

/** Returns the text of a section and its fields, except passwords, in lower case. */
function readShownText(section: HTMLElement): string {
  const fields = section.querySelectorAll<HTMLInputElement>('input:not([type=password])')
  const values = [...fields].flatMap(({ value, placeholder }) => [value, placeholder])
  return [section.textContent, ...values].join(' ').toLowerCase()
}

function findRanges(section: HTMLElement, word: string): Range[] {
  const walker = document.createTreeWalker(section, NodeFilter.SHOW_TEXT)
  const ranges: Range[] = []
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const content = (node.textContent ?? '').toLowerCase()
    for (let at = content.indexOf(word); at !== -1; at = content.indexOf(word, at + word.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + word.length)
      ranges.push(range)
    }
  }
  return ranges
}
