// The tokenisers, from a text to the numbered tokens of its segment.
//
// none    white space, as Python's str.split()
// 13a     mteval-v13a (sacreBLEU 2.6, tokenizer_13a.py)      intl   mteval-v14 international (tokenizer_intl.py)
// zh      Chinese characters one by one, the rest as 13a     char   every character but white space
// tercom  white space; options :norm, +nopunct, +asian, as in tercom's normaliser (tokenizer_ter.py)
// rouge   lower-cased runs of a-z and 0-9 (rouge_score)      words  runs of letters, marks and numbers of any script
// jiwer   jiwer 4's default for words: split at blanks       chars  jiwer's default for characters
//
// Those of sacreBLEU are what its metrics do to a text: str.rstrip(), the tokeniser, str.split(). The rstrip() shows:
// 13a joins a word broken by "-\n" except at the end of the text, and intl leaves the full stop of a last "1999." alone.
#pragma once
#include <string>
#include <vector>

#include "stems.hpp"
#include "text_view.hpp"
#include "vocabulary.hpp"

namespace nlgauge {

enum class Splitter { none, mteval13a, intl, zh, character, tercom, rouge, words, jiwer, chars };

struct TokenizerOptions {
    Splitter splitter = Splitter::none;
    bool normalize = false;  // tercom's options
    bool no_punctuation = false;
    bool asian = false;
    bool lower = false;
    bool stem = false;

    // Throws std::invalid_argument for names that are not implemented here.
    static TokenizerOptions parse(const std::string& tok, bool lower, const std::string& stem);
    static const std::vector<std::string>& tokenizers();
    static const std::vector<std::string>& stemmers();
};

// A text ready for scanning: `bytes` holds its Latin-1 code points and, for others, a stand-in chosen by the tokeniser;
// `points` is null if there are no others. Padded with blanks to kPadding.
struct Letters {
    std::uint8_t* bytes;
    char32_t* points;
    std::size_t size;
};

// A string as one token, whatever it holds: also nothing, blanks or lone surrogates.
Token whole_token(const TextView& text, Arena& arena);

class Tokenizer {
public:
    // Sets the options; the memory and the stems known so far stay.
    void configure(const TokenizerOptions& options) {
        options_ = options;
        if (options.stem) stems_.prepare();
    }
    void begin_segment() {
        words_.clear();
        arena_.clear();
    }
    // Adds the tokens of text[begin, end) to the segment; the text is copied.
    void add(const TextView& text, std::size_t begin, std::size_t end);
    void add(const TextView& text) { add(text, 0, text.length); }

    void end_segment() { words_.number(); }

    const Vocabulary& words() const { return words_; }

private:
    template <class Standin>
    Letters load(const TextView& text, std::size_t begin, std::size_t end, Standin&& standin);
    Letters load(const std::vector<char32_t>& points, std::uint8_t (*standin)(char32_t));
    template <class Find>
    std::size_t runs(const Letters& text, bool& alarm);
    template <class Find>
    std::size_t positions(const Letters& text, bool& alarm);

    Token wide_piece(const Letters& text, std::size_t begin, std::size_t end);
    template <bool Latin1, bool Stem>
    Token token(const Letters& text, std::size_t begin, std::size_t end);
    template <class Split>
    void emit_pieces(const Letters& text, Split&& split);
    void emit_runs(const Letters& text, std::size_t count);
    template <bool Padded, bool Dash>
    void emit_split(const Letters& text, const std::uint8_t* roles, std::size_t count);

    void add_13a(const TextView& text, std::size_t begin, std::size_t end);
    void add_words(const TextView& text, std::size_t begin, std::size_t end);
    void add_jiwer(const TextView& text, std::size_t begin, std::size_t end);
    void add_characters(const TextView& text, std::size_t begin, std::size_t end);
    void add_tercom(const TextView& text, std::size_t begin, std::size_t end);

    TokenizerOptions options_;
    Vocabulary words_;
    Arena arena_;
    Stems stems_;
    std::vector<std::uint32_t> cuts_;  // positions found by the last scan
    std::vector<char32_t> points_;     // a text on its way through tercom's normaliser
};

}  // namespace nlgauge
