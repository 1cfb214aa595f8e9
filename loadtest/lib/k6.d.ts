// What k6 has and its types leave out.

declare const console: { log(text: string): void; error(text: string): void };
