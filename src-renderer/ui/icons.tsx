import type { ReactNode } from 'react'
import paths from './icon-paths.json' with { type: 'json' }

/** The path of each icon in a square of 16 pixels, or its elements if a path is not enough. */
const shapes = {
  ...paths,
  more: <path d="M3.5 8h.1M8 8h.1M12.5 8h.1" strokeWidth="2" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2" />,
  theme: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" />
    </>
  ),
  starred: (
    <path
      fill="currentColor"
      d="M8 1.9l1.9 3.9 4.2.6-3 3 .7 4.2L8 11.6l-3.8 2 .7-4.2-3-3 4.2-.6z"
    />
  ),
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof shapes

/** An icon beside a word, hidden from screen readers; it never replaces a name. */
export function Icon({ name, size = 15 }: { name: IconName; size?: number }) {
  const shape = shapes[name]
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {typeof shape === 'string' ? <path d={shape} /> : shape}
    </svg>
  )
}
