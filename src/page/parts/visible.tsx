// Text of agents as elements, with a mark for each character that cannot be seen.

import { visiblePieces } from "./visible-text.ts";

interface Props {
  readonly text: string;
  /** A line end is one, and no mark. */
  readonly keepsLines?: boolean;
  /** A tab in a name cannot be seen. */
  readonly isName?: boolean;
}

export function Visible({ text, keepsLines = false, isName = false }: Props) {
  if (keepsLines && text.includes("\n")) {
    const lines = text.split("\n");
    return (
      <>
        {lines.map((line, i) => (
          <>
            <Visible key={i} text={line} />
            {i < lines.length - 1 ? "\n" : null}
          </>
        ))}
      </>
    );
  }
  return (
    <>
      {visiblePieces(text, !isName).map((piece, i) =>
        piece.isMark ? (
          <span key={i} class="hidden-mark">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}
